/** One text with what is computed from it once: positions, elements, and the names that it defines and uses. */
import { type FileKind, type FileScope, type SourceFile, toByteString } from '#engine'
import { Positions } from '../text/positions.js'
import { type ScannedText, scanText } from '../text/scan.js'
import { type Names, readNames } from './names.js'

export class ContentDocument {
  readonly uri: string
  readonly file: SourceFile
  #positions: Positions | null = null
  #scanned: ScannedText | null = null
  #names: Names | null = null

  constructor(uri: string, file: SourceFile) {
    this.uri = uri
    this.file = file
  }

  get text(): string {
    return this.file.content
  }

  /** The text as the engine has it. */
  get bytes(): string {
    return toByteString(this.text)
  }

  get kind(): FileKind {
    return this.file.kind
  }

  get scope(): FileScope {
    return this.file.scope
  }

  get positions(): Positions {
    this.#positions ??= new Positions(this.text)
    return this.#positions
  }

  /** Lists have no elements. */
  get scanned(): ScannedText {
    this.#scanned ??= scanText(this.kind === 'lists' ? '' : this.text)
    return this.#scanned
  }

  get names(): Names {
    this.#names ??= readNames(this.scanned, this.kind)
    return this.#names
  }
}
