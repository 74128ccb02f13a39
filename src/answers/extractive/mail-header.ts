/** Reads the header at the top of a mail: its lines name the sender, the receivers, the date and the subject. */
import { anyOf } from '../patterns.ts';

const HEADER = /^(?:(?:From|To|Cc|Date|Subject): [^\n]*(?:\n|$)){2,}(?=\n)/;
const TOP_HEADER = /^(?:(?:From|To|Cc|Date|Subject): [^\n]*(?:\n|$)){2,}/;

/**
 * Returns the end of a header, with text below it, that stands at the top of `content`. The header is then like a title. Returns 0 if
 * there is none, or if the question asks for what only a header says.
 */
export function titleHeaderEnd(content: string, question: string): number {
  const end = HEADER.exec(content)?.[0].length ?? 0;
  return end === 0 || content.slice(end).trim() === '' || ASKS_HEADER.test(question) ? 0 : end;
}

/** Returns the header at the top of a mail, or of the context of a later part of a mail; else "". */
export function mailHeader(text: string | null): string {
  return TOP_HEADER.exec(text ?? '')?.[0] ?? '';
}

/** Returns the name of the sender, or the address if there is no name; "" without a sender. */
export function senderOf(header: string): string {
  return /^From: "?([^\n"<]+)/m.exec(header)?.[1] ?? '';
}

/** Returns true for a question for mails, such as "Which mail speaks of section 4?". */
export function asksMails(question: string): boolean {
  return ASKS_MAILS.test(question);
}

/** A mail server and a message broker are no mails. */
const ASKS_MAILS = anyOf(
  [
    /\b(?:e-?)?mails? (?:from|von|de|di|da)\b|\b(?:which|what) (?:(?:e-?)?mails?|messages?)\b(?! (?:server|broker)|-)/,
    /\b(?:welche[mnrs]?|quel(?:le)?s?|qué|qual[ei]?|quais) (?:(?:e-?)?mails?|courriels?|messages?|correos?|messagg[io])\b(?!-)/,
    /(?:как(?:ое|ие|ом|их|ой)) (?:письм|сообщени)|哪[些一]?[封个個]?(?:邮件|郵件|メール)|どのメール|(?:어느|어떤) (?:이?메일)/,
  ],
  'iu',
);

/** "Until when" and its like ask for a date of the text. */
const ASKS_HEADER = anyOf(
  [
    /\bwho(?:m|se)?\b|(?<!\b(?:until|till|by|since) )\bwhen\b|\bs[ei]n(?:t|d|ds|der|ders)\b|\bwr(?:ote|ites?|itten)\b/,
    /\bforward(?:ed)?\b|\brepl(?:y|ied|ies)\b|\breceived?\b|\bsubjects?\b|\brecipients?\b|\baddress(?:es)?\b|\bcc\b/,
    /\b(?:e-?)?mails? (?:from|by|to|of)\b|\bwhich (?:(?:e-?)?mails|messages)\b/,
    // A mail server and a message broker are no mails.
    /\bwhich (?:(?:e-?)?mail|message) (?:is|was|has|had|did|does|says|mentions|about)\b/,
    /\bwelche (?:e-?)?mails?\b(?!-)/,
    /\bwe[rmn]\b|(?<!\b(?:bis|seit|ab) )\bwann\b|\b(?:ge)?(?:schick|sende|schr[ie]+b)|\babsender|\bempfänger|\bbetreff\b/,
    /\bqui\b|\bquand\b|\benvoy|\bécri|\bre[cç]u|\bobjet\b|\bexpéditeur|\bdestinat|\bqui[eé]n|\bcu[aá]ndo\b|\benvi[aoó]/,
    /\bescri|\bremit|\basunto\b|\bquem\b|\bquando\b|\bassunto\b|\bchi\b|\bscri|\binviat|\bmitten|\boggetto\b/,
    /кто|кому|когда|отправ|написал|тема|谁|誰|何时|何時|什么时候|什麼時候|いつ|[发發送寄]|件名|主[题題]|누구|누가|언제|보[낸내]|제목/,
  ],
  'iu',
);
