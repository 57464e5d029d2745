/**
 * The HTTP API of `detection-content playground DIR`, by which the page edits a folder of content. All addresses are relative to the page.
 *
 * The command prints the address of the page with a secret in the fragment (`FolderFragment`). The page keeps the secret for its tab (`sessionStorage`), removes it from
 * the address, and sends it with each request as the header `FolderTokenHeader`. Without a secret there is no folder, and the page is the one of any web server.
 *
 * | Request | Answer |
 * |---|---|
 * | `GET folder` | 200 `Folder`, with `ETag` |
 * | `GET folder/base` | 200 `BaseFile[]`: the base ruleset, if `Folder.base.kind` is `folder` |
 * | `GET folder/changes` with `If-None-Match: ` the tag of the last `Folder` or `FolderIndex` | waits: 200 `FolderIndex` with `ETag` when something differs, 304 after 25 seconds: ask again |
 * | `GET folder/files/PATH` | 200 `FolderFile`, with `ETag` |
 * | `POST folder/files/PATH`, the content as the body | creates a file, and its folders: 201 `FolderFile`; 409 `file_exists` |
 * | `PUT folder/files/PATH`, the content as the body, `If-Match: ` the file's tag | replaces the file: 200 `FolderFile`; 412 `file_changed` |
 * | `DELETE folder/files/PATH`, `If-Match: ` the file's tag | 204; 412 `file_changed` |
 *
 * `PATH` is the path of the file in the folder, each step encoded by `encodeURIComponent`. Bodies are UTF-8, and are written as they are: the page keeps line ends. An
 * `ETag` is the member `etag` in quotes. A refusal is a `FolderRefusal`; the page has the words for it.
 */
import type { FileKind } from '#engine'

/** What the command appends to the address of the page. */
export type FolderFragment = `#folder=${string}`
/** The header that has the secret. */
export type FolderTokenHeader = 'x-playground-token'

export interface FolderFile {
  /** In the folder, with slashes. */
  readonly path: string
  /** Cases are suites in Wazuh's `.ini` format, or JSON with a list `cases`. Events are lines, in the file that the page's own export has for them. */
  readonly kind: FileKind | 'cases' | 'events'
  /** Name in a ruleset: that of the file, or the path by which rules name a list. Two files of one kind have different ones. */
  readonly filename: string
  readonly content: string
  readonly etag: string
  /** The file is not UTF-8: what cannot be read is shown as U+FFFD, so it cannot be saved. */
  readonly read_only: boolean
}

/** The ruleset below the content: the page has the reference ruleset itself. Changes of another one are read when the command is started again. */
export type FolderBase = { readonly kind: 'reference' } | { readonly kind: 'none' } | { readonly kind: 'folder'; readonly name: string; readonly files: number }

export interface BaseFile {
  readonly kind: FileKind
  readonly filename: string
  readonly content: string
}

/** What looks like content or cases, and is not opened: links are not followed, and a file may be too large or not be readable. */
export interface LeftOutFile {
  readonly path: string
  readonly reason: 'link' | 'too_large' | 'unreadable'
}

export interface FolderIndex {
  readonly etag: string
  readonly files: readonly Omit<FolderFile, 'content'>[]
  readonly left_out: readonly LeftOutFile[]
}

export interface Folder extends FolderIndex {
  /** Name of the folder, without its path. */
  readonly name: string
  readonly base: FolderBase
  readonly files: readonly FolderFile[]
  readonly limits: {
    readonly files: number
    /** Bytes of all files together. */
    readonly bytes: number
  }
}

export type FolderRefusalCode =
  /** 421: the request is for another host than 127.0.0.1 or localhost at this port. */
  | 'host_refused'
  /** 403: another site has sent it. */
  | 'origin_refused'
  /** 401: without the secret, or with a wrong one. The command was started again. */
  | 'token_refused'
  /** 404 */
  | 'not_found'
  /** 405, with `Allow`. */
  | 'method_refused'
  /** 409: there is a file at the path of a new one. */
  | 'file_exists'
  /** 412: the file on disk is not the one that was read. */
  | 'file_changed'
  /** 413, with `limit`: more bytes in all, or more files, than a folder may have. */
  | 'folder_too_large'
  /** 422: no content would be found at this path, or the path leads through a link. */
  | 'path_refused'
  /** 422: neither rules, decoders, a list nor cases. */
  | 'not_content'
  /** 422: the body, or the file on disk, is not UTF-8. */
  | 'not_utf8'
  /** 428: `If-Match` is missing. */
  | 'condition_missing'
  /** 429, with `limit`: requests for changes that wait. */
  | 'too_many_waiting'
  /** 500: the system has refused to read or to write, with `system`. */
  | 'failed'

export interface FolderRefusal {
  readonly code: FolderRefusalCode
  readonly limit?: number
  /** With `file_exists` and `file_changed`: the file as it is now; null: it is gone, or is no content. */
  readonly current?: FolderFile | null
  /** Code of the system's error, such as `EACCES`. */
  readonly system?: string
}
