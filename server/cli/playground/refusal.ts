/** A refusal of the API of a folder. */
import type { FolderRefusal, FolderRefusalCode } from '../../playground/folder-api.js'

const STATUS = {
  host_refused: 421,
  origin_refused: 403,
  token_refused: 401,
  not_found: 404,
  method_refused: 405,
  file_exists: 409,
  file_changed: 412,
  folder_too_large: 413,
  path_refused: 422,
  not_content: 422,
  not_utf8: 422,
  condition_missing: 428,
  too_many_waiting: 429,
  failed: 500,
} as const satisfies Record<FolderRefusalCode, number>

export class FolderError extends Error {
  override readonly name = 'FolderError'
  readonly status: number

  constructor(
    readonly code: FolderRefusalCode,
    readonly details: Omit<FolderRefusal, 'code'> = {},
  ) {
    super(code)
    this.status = STATUS[code]
  }

  get body(): FolderRefusal {
    return { code: this.code, ...this.details }
  }
}
