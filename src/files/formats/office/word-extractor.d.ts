declare module 'word-extractor' {
  /** `filterUnicode: false` keeps typographic quotes and dashes. */
  type ReadText = (options: { filterUnicode: boolean }) => string;

  interface Document {
    getBody: ReadText;
    getTextboxes: ReadText;
    getFootnotes: ReadText;
    getEndnotes: ReadText;
    getAnnotations: ReadText;
    /** With footers. */
    getHeaders: ReadText;
  }

  class WordExtractor {
    extract(file: Buffer): Promise<Document>;
  }
  export = WordExtractor;
}
