/** Makes the files of a database in a process of its own, which takes 0.5 GB and gives it back by ending. Argument: the folder. */
import { openEngine } from './engine.ts';
import { lockDirectory } from './lock.ts';

// The parent was killed: the next start makes the folder anew.
process.on('disconnect', () => process.exit(1));
try {
  lockDirectory(process.argv[2]!);
  const engine = await openEngine(process.argv[2]!);
  await engine.close();
  process.exit();
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error), () => process.exit(1));
}
