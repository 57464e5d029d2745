import { EditorView } from '@codemirror/view'

/** Where the cursor is in the editor inside an element. @param id of the element */
export function cursorOf(id: string): number {
  const element = document.getElementById(id)
  return (element === null ? null : EditorView.findFromDOM(element))?.state.selection.main.head ?? 0
}
