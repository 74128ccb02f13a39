/** The words of texts and questions, as the extractive model compares them: the terms of the search. */
import { analyzeQuery, analyzeText } from '../../text/analyzer.ts';
import type { Analyzer } from './question.ts';

export const words: Analyzer = {
  index: (text: string, language: string | null) => analyzeText(text, language).split(' '),
  query: (text: string, language: string | null) => analyzeQuery(text, language === null ? [] : [language]),
};
