/** Which passages of a source may be quoted as an answer. */
import { anyOf } from '../patterns.ts';

/** Text that talks to a language model. It is not the content that a source has for its readers. */
const ADDRESSES_MODEL = anyOf(
  [
    /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:instructions?|prompts?|rules|directions|guidelines|messages?|context)\b/u,
    /\bsystem\s*(?:prompt|message|instruction)/u,
    // A sentence after the name of a role. `system: shop` and `Operating system: Debian 12` are fields.
    /(?<![\p{L}\p{N}][ \t-]?)system\W{0,3}:\W{0,4}(?:\S+[ \t]+){2}\S/u,
    /\byou are (?:now )?(?:an? )?(?:ai|chatgpt|gpt|language model|assistant|dan)\b/u,
    /\b(?:as an ai|do not cite|cite nothing|answer (?:only )?with|respond (?:only )?with|reveal (?:the|your))\b/u,
    /<\|?(?:im_start|im_end|system|endoftext)|\[\/?inst\]/u,
    /\bignoriere?\b.{0,40}\banweisung|\bignore[zr]?\b.{0,40}\b(?:instructions|instrucciones)/u,
    /ignora.{0,40}(?:instrucciones|istruzioni|instruções)|игнорируй.{0,40}(?:инструкц|указан)/u,
    /(?:指示|命令).{0,10}無視|(?:忽略|无视|無視).{0,20}(?:指示|指令|提示)|(?:지시|명령).{0,10}무시/u,
  ],
  'iu',
);

/** Returns false for passages without a letter or digit, and for instructions to a model when the question is not about them. */
export function isQuotable(text: string, question: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
  if (!ADDRESSES_MODEL.test(text)) return true;
  return /\b(?:instruction|prompt|inject|jailbreak|ignore)/iu.test(question) || ADDRESSES_MODEL.test(question);
}
