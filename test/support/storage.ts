/** An embedded store of a test's own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CollectionDefinition, Storage } from '../../server/storage/contract.js'
import { openEmbeddedStorage } from '../../server/storage/embedded/index.js'

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
