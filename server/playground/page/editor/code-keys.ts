/** The commands on the code at the cursor, and their keys. The page knows them before the editors are loaded. */
export type CodeCommand = 'outline' | 'definition' | 'uses' | 'rename' | 'format' | 'help'

/** Those of other editors, where browsers leave them; the others begin as those of the page. */
export const CODE_KEYS: Readonly<Record<CodeCommand, string>> = {
  outline: 'Alt-Shift-o',
  definition: 'F12',
  uses: 'Shift-F12',
  rename: 'F2',
  format: 'Alt-Shift-f',
  help: 'Alt-Shift-h',
}
