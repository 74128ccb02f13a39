import { inWords } from '../../data/api.ts';
import { isMissing, readOriginal, type Viewer } from '../../data/source.ts';
import { useMutation } from '../../parts/use-change.ts';
import { say } from '../../words/words.ts';

/** Saves the original file of a source, for those who may see the whole of it. The cookie alone would not get it: no link leads there. */
export function useDownload(id: string, name: string, viewer: Viewer) {
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => readOriginal(id, viewer),
    onSuccess(file) {
      const address = URL.createObjectURL(file);
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
      // The browser has its own hold on the bytes once the click is handled.
      setTimeout(() => URL.revokeObjectURL(address), 1_000);
    },
  });
  const problem = error && (isMissing(error) ? say('source.originalHidden') : inWords(error));
  return { start: () => mutate(), isPending, problem, forget: reset };
}
