/** Settings of tables and of the engine that queries them. */
import type { SettingsReader } from './settings-reader.ts';

const PROCESSES_MAX = 64;
const MEMORY_MIB_MIN = 64;
const MEMORY_MIB_MAX = 65_536;

export interface TableSettings {
  /** False: no query of tables is run. */
  isOn: boolean;
  /** Number of processes of the engine. */
  processes: number;
  /** Memory of the engine in one process. The process itself may have 256 MiB more. */
  memoryMib: number;
}

export function readTableSettings(read: SettingsReader): TableSettings {
  return {
    isOn: read.choice('PINAKES_TABLES', ['on', 'off'], 'on') === 'on',
    processes: read.integer('PINAKES_TABLE_PROCESSES', 2, 1, PROCESSES_MAX),
    memoryMib: read.integer('PINAKES_TABLE_MEMORY_MIB', 256, MEMORY_MIB_MIN, MEMORY_MIB_MAX),
  };
}
