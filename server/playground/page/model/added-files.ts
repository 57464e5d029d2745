/** How files are added to those of the page: under which names, and in place of which. */
import type { FileKind } from '#engine'
import type { EditedFile } from './state.js'

/** Names of new files. */
export const NEW_NAMES: Readonly<Record<FileKind, string>> = { rules: 'local_rules.xml', decoders: 'local_decoder.xml', lists: 'etc/lists/own' }

/** The wanted name, or one with a number that no file of the kind has. */
export function freeName(files: readonly EditedFile[], kind: FileKind, wanted: string): string {
  const taken = new Set(files.filter((file) => file.kind === kind).map(({ filename }) => filename))
  const [stem, extension] = wanted.endsWith('.xml') ? [wanted.slice(0, -4), '.xml'] : [wanted, '']
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${stem}_${number}${extension}`
    if (!taken.has(name)) return name
  }
}

/** Files with the same name get the content of the added ones. */
export function addedTo(files: readonly EditedFile[], added: readonly EditedFile[]): EditedFile[] {
  const left = new Map(added.map((file) => [`${file.kind} ${file.filename}`, file]))
  const replaced = files.map((file) => {
    const key = `${file.kind} ${file.filename}`
    const other = left.get(key)
    left.delete(key)
    return other === undefined ? file : { ...file, content: other.content }
  })
  return [...replaced, ...left.values()]
}
