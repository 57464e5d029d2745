import { exportZip } from '../model/export.js'
import type { Work } from '../model/state.js'

const FILE = 'detection-content.zip'

/** Gives the work to the browser as a download. */
export async function saveZip(work: Work): Promise<void> {
  const address = URL.createObjectURL(new Blob([await exportZip(work)], { type: 'application/zip' }))
  const link = document.createElement('a')
  link.href = address
  link.download = FILE
  link.click()
  URL.revokeObjectURL(address)
}
