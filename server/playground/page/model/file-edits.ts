/** What people do with the files of the content. */
import type { FileKind } from '#engine'
import type { FixRecord } from '../../worker/protocol.js'
import { freeName, NEW_NAMES } from './added-files.js'
import type { PageCore } from './page-core.js'
import { type EditedFile, newId, workOf } from './state.js'
import { applyChanges } from './text-change.js'

export class FileEdits {
  readonly #page: PageCore

  constructor(page: PageCore) {
    this.#page = page
  }

  select(id: number): void {
    this.#page.store.update({ activeFile: id, stock: null, part: 'content' })
  }

  edit(id: number, content: string): void {
    this.editAll(new Map([[id, content]]))
  }

  /** @param contents texts by id of their file */
  editAll(contents: ReadonlyMap<number, string>): void {
    this.#page.setFiles(
      this.#page.state.files.map((file) => {
        const content = contents.get(file.id)
        return content === undefined ? file : { ...file, content }
      }),
    )
  }

  add(kind: FileKind, content = ''): void {
    const name = freeName(this.#page.state.files, kind, NEW_NAMES[kind])
    const file: EditedFile = { id: newId(), kind, filename: name, content }
    this.#page.setFiles([...this.#page.state.files, file])
    this.#page.store.update({ activeFile: file.id, stock: null, part: 'content' })
  }

  /** @returns whether the name is free */
  rename(id: number, written: string): boolean {
    const file = this.#page.state.files.find((one) => one.id === id)
    const filename = written.trim()
    if (file === undefined || filename === '' || filename === file.filename) return true
    if (this.#page.state.files.some((other) => other.id !== id && other.kind === file.kind && other.filename === filename)) return false
    this.#page.setFiles(this.#page.state.files.map((one) => (one.id === id ? { ...one, filename } : one)))
    return true
  }

  delete(id: number): void {
    const { files, activeFile } = this.#page.state
    const index = files.findIndex((file) => file.id === id)
    if (index < 0) return
    const before = workOf(this.#page.state)
    const left = files.filter((file) => file.id !== id)
    this.#page.setFiles(left)
    if (activeFile === id) this.#page.store.update({ activeFile: (left[index] ?? left.at(-1))?.id ?? null })
    this.#page.notify(this.#page.texts.notices.fileDeleted(files[index].filename), before)
  }

  fix(file: EditedFile, { edits }: FixRecord): void {
    // The places hold for the text that was diagnosed.
    if (!this.#page.state.files.includes(file)) return
    this.edit(file.id, applyChanges(file.content, edits))
  }

  /** Shows a place of a file that is edited. */
  goTo(file: number, from: number, to: number): void {
    this.#page.store.update({ activeFile: file, stock: null, part: 'content', target: { file, from, to } })
  }

  /** Shows a line of a file: an edited one, or one of the base. */
  async openAt(kind: FileKind, filename: string, line: number): Promise<void> {
    const edited = this.#page.state.files.find((file) => file.kind === kind && file.filename === filename)
    if (edited !== undefined) {
      const from = offsetOfLine(edited.content, line)
      return this.goTo(edited.id, from, from)
    }
    await this.openBase(kind, filename, line)
  }

  /** Shows a line of a file of the base. */
  async openBase(kind: FileKind, filename: string, line: number): Promise<void> {
    await this.#page.answers.asking(
      (port) => port.baseFile({ kind, filename }),
      (content) => {
        if (content !== null) this.#page.store.update({ stock: { kind, filename, content, line }, part: 'content' })
      },
    )
  }

  closeStock(): void {
    this.#page.store.update({ stock: null })
  }
}

/** @param line from 1 */
function offsetOfLine(text: string, line: number): number {
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const next = text.indexOf('\n', at)
    if (next < 0) break
    at = next + 1
  }
  return at
}
