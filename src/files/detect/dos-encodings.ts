/** Decodes the encodings of DOS, which TextDecoder does not know. Pure. */

/** Characters 128 to 255. */
const CHARACTERS: Record<string, string> = {
  ibm850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ibm852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐' +
    '└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\xad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  ibm857:
    'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ ×ÚÛÙìÿ¯´\xad± ¾¶§÷¸°¨·¹³²■\u00a0',
};

/** Returns a decoder for an encoding of DOS; undefined for other encodings. */
export function dosDecoder(encoding: string): ((bytes: Uint8Array) => string) | undefined {
  const characters = CHARACTERS[encoding];
  if (characters === undefined) return undefined;
  return (bytes) => {
    const units = new Uint16Array(bytes.length);
    for (const [i, byte] of bytes.entries()) units[i] = byte < 0x80 ? byte : characters.charCodeAt(byte - 0x80);
    return new TextDecoder('utf-16le').decode(units);
  };
}
