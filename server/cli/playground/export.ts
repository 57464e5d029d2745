/** Writes the page of the playground to a folder, for any web server. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlaygroundSite } from '../../core/playground-site.js'
import { UsageError } from '../usage-error.js'

/** @returns the number of files @throws UsageError if the folder has files: those of an older page would stay */
export async function exportSite(site: PlaygroundSite, folder: string): Promise<number> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new UsageError('folder_not_empty', { folder })
  for (const name of site.names) await writeFile(join(folder, name), await site.exported(name), { flag: 'wx' })
  return site.names.length
}
