/** Opens embedding models in directories of this machine. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { ConfigError } from '../../util/settings/settings-reader.ts';
import { LocalModelError, NATIVE_RUNTIME, type PrefixSettings, readLocalModel } from '../local/model.ts';
import { openModelThread } from '../local/thread.ts';
import type { EmbeddingModel } from '../models.ts';

/** The optional peer dependencies of package.json. */
export const OPTIONAL_PACKAGES = { '@huggingface/tokenizers': '0.2.0', 'onnxruntime-web': '1.30.0' };
/** Packages that may replace an optional package. */
const SUBSTITUTES: Readonly<Record<string, string>> = { 'onnxruntime-web': NATIVE_RUNTIME };
/** The start of the recorded names of local models. */
const PREFIX = 'local:';
const VARIABLE = 'PINAKES_EMBEDDING_MODEL';

export interface LocalSettings extends PrefixSettings {
  /** The directory of models that are configured by name: `<modelsDir>/<name>`. */
  modelsDir: string;
}

export interface LocalModels {
  /**
   * Returns the model that the setting names. Its files are checked now, and loaded with the first text.
   *
   * @param setting a directory, an `.onnx` file in a directory, or a name.
   * @throws ConfigError when the model cannot be used, or when the optional packages are missing.
   */
  open(setting: string): EmbeddingModel;
  /** Returns the model with a recorded name, whose vectors may still be in use. @throws ServiceError when the model is gone. */
  named(name: string): EmbeddingModel;
  close(): Promise<void>;
}

export function isLocalName(name: string): boolean {
  return name.startsWith(PREFIX);
}

export function openLocalModels(
  settings: LocalSettings,
  packages: Readonly<Record<string, string>> = OPTIONAL_PACKAGES,
  substitutes = SUBSTITUTES,
): LocalModels {
  const opened = new Map<string, EmbeddingModel & { close(): Promise<void> }>();
  const roots = new Set([settings.modelsDir]);
  const open = (setting: string): EmbeddingModel => {
    const model = readLocalModel(findModel(setting, settings.modelsDir), settings);
    // The name contains the name and the content of the directory, not its path: a moved directory is the same model.
    const name = `${PREFIX}${basename(model.directory)}#${model.fingerprint}`;
    const openedModel = opened.get(name) ?? { name, ...openModelThread(model) };
    opened.set(name, openedModel);
    for (const root of rootsOf(model.directory)) roots.add(root);
    return openedModel;
  };
  return {
    open(setting) {
      requirePackages(VARIABLE, packages, substitutes);
      try {
        return open(setting);
      } catch (error) {
        if (!(error instanceof LocalModelError)) throw error;
        throw new ConfigError(VARIABLE, error.message, 'local:/srv/models/multilingual-e5-small');
      }
    },
    named(name) {
      const openedModel = opened.get(name);
      if (openedModel) return openedModel;
      const gone = (cause?: unknown): ServiceError =>
        new ServiceError('upstream_failed', 'The embedding model of these vectors is not there any more.', { cause });
      try {
        requirePackages(VARIABLE, packages, substitutes);
      } catch (error) {
        throw gone(error);
      }
      const [, folder = '', fingerprint] = /^local:(.*)#(.*)$/s.exec(name) ?? [];
      // Older recorded names contain the whole path.
      for (const path of placesOf(basename(folder), [...roots])) {
        if (fingerprintAt(path, settings) === fingerprint) return open(path);
      }
      throw gone();
    },
    async close() {
      await Promise.all([...opened.values()].map((model) => model.close()));
    },
  };
}

/** Returns the directories that may contain more models: `<root>/<model>` or `<root>/<owner>/<model>`. */
function rootsOf(directory: string): string[] {
  const parents = [dirname(directory), dirname(dirname(directory))];
  return parents.filter((root) => root !== dirname(root));
}

/** Returns the directories called `folder`, and the model files in them. */
function placesOf(folder: string, roots: readonly string[]): string[] {
  if (folder === '' || folder.startsWith('.')) return [];
  const directories = roots.flatMap((root) => [
    join(root, folder),
    ...list(root).map((owner) => join(root, owner, folder)),
  ]);
  return directories.flatMap((directory) => {
    const inside = [directory, join(directory, 'onnx')].flatMap((one) => list(one).map((name) => join(one, name)));
    return [directory, ...inside.filter((path) => path.endsWith('.onnx'))];
  });
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function fingerprintAt(path: string, settings: PrefixSettings): string | undefined {
  try {
    return existsSync(path) ? readLocalModel(path, settings).fingerprint : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that the optional packages are installed. @throws ConfigError that names the setting. */
export function requirePackages(
  variable: string,
  packages: Readonly<Record<string, string>> = OPTIONAL_PACKAGES,
  substitutes = SUBSTITUTES,
): void {
  const command = installCommand(packages, substitutes);
  if (command !== null) throw new ConfigError(variable, `needs packages that are not installed (${command})`, 'none');
}

/** Returns the command that installs the optional packages which are missing; null when none is. */
export function installCommand(
  packages: Readonly<Record<string, string>> = OPTIONAL_PACKAGES,
  substitutes = SUBSTITUTES,
): string | null {
  const isThere = (name: string | undefined): boolean => name !== undefined && isInstalled(name);
  const missing = Object.entries(packages).filter(([name]) => !isThere(name) && !isThere(substitutes[name]));
  return missing.length === 0
    ? null
    : `npm install ${missing.map(([name, version]) => `${name}@${version}`).join(' ')}`;
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    // The package is installed, but it exports nothing for require().
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

/** A name as on model hubs: `owner/model`, or `model`. */
const NAME_PATTERN = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/;

/** Returns the path of the model that a setting names. @throws LocalModelError */
export function findModel(setting: string, modelsDir: string): string {
  const path = resolve(setting);
  if (!NAME_PATTERN.test(setting)) {
    if (existsSync(path)) return path;
    throw new LocalModelError(`names ${path}, which is not there`);
  }
  const named = join(modelsDir, setting);
  const found = [named, path].find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new LocalModelError(
    `names the model ${setting}, which is neither in ${named} nor in ${path}; ` +
      `nothing is downloaded by itself (pinakes models pull ${setting})`,
  );
}
