/** The words of texts and questions, as the extractive model compares them: the terms of the search. */
import { analyzeQuery, analyzeText } from '../../text/analyzer.ts';

/** Returns the terms of all words, in reading order. */
export function allTerms(text: string, language: string | null): string[] {
  return analyzeText(text, language).split(' ');
}

/** Returns the terms of the words that carry a topic. */
export function topicTerms(text: string, language: string | null): string[] {
  return analyzeQuery(text, language === null ? [] : [language]);
}
