/** An embedded store of a test's own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { CollectionDefinition, Storage } from '../../server/core/storage/contract.js'
import { openEmbeddedStorage } from '../../server/core/storage/embedded/index.js'

/** Gives new directories, which go with the test file. */
export function directoriesForTests(): () => string {
  const directories: string[] = []
  after(() => {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  })
  return () => {
    const directory = mkdtempSync(join(tmpdir(), 'detection-content-'))
    directories.push(directory)
    return directory
  }
}

export interface TestStorage {
  readonly storage: Storage
  close(): Promise<void>
}

export async function openTestStorage(collections: readonly CollectionDefinition[]): Promise<TestStorage> {
  const directory = mkdtempSync(join(tmpdir(), 'detection-content-'))
  const storage: Storage = await openEmbeddedStorage({ directory })
  await storage.prepare(collections)
  return {
    storage,
    async close() {
      await storage.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
