/**
 * Matches paths of files that systems and programs put beside those of a user: views of folders, small pictures, and the marks of
 * documents that are open in Word, Excel or LibreOffice (`~$plan.xlsx` has only the name of who has opened `plan.xlsx`).
 */
export const LITTER =
  /(?:^|\/)(?:__MACOSX\/|\.git\/|\.DS_Store$|(?:eh)?Thumbs\.db$|desktop\.ini$|\._[^/]*$|~\$[^/]*$|\.~lock\.[^/]*#$)/i;
