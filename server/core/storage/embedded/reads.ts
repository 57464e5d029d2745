/** Reads of a database file. Requests are plain data, so that they can run on another thread. Documents are returned as JSON. */
import type { Connection } from './connection.js'
import { isExact, type Selection, selectRows } from './selection.js'

export interface Find {
  readonly kind: 'find'
  readonly selection: Selection
  /** ` ORDER BY …`, or an empty text. */
  readonly order: string
  readonly skip: number
  /** Null: no limit. */
  readonly limit: number | null
}

export interface Count {
  readonly kind: 'count'
  readonly selection: Selection
}

/** A page of documents, in the order of their rows, which never changes. */
export interface ReadPage {
  readonly kind: 'page'
  readonly selection: Selection
  /** The last row of the page before; 0 for the first page. */
  readonly after: number
}

export interface Page {
  readonly documents: readonly string[]
  /** The last row of the page; null: there are no more documents. */
  readonly last: number | null
}

export type Read = Find | Count | ReadPage

/** Limits of a page. A first document that is larger than the limit is a page by itself. */
const PAGE_DOCUMENTS = 250
const PAGE_BYTES = 1024 * 1024

export function find(connection: Connection, { selection, order, skip, limit }: Find): string[] {
  if (isExact(selection)) return [...selectRows(connection, selection, `${order} LIMIT ? OFFSET ?`, [limit ?? -1, skip])].map(({ json }) => json)
  const documents: string[] = []
  let passed = 0
  for (const { json } of selectRows(connection, selection, order, [])) if (passed++ >= skip && (limit === null || documents.length < limit)) documents.push(json)
  return documents
}

export function read(connection: Connection, request: Read): string[] | number | Page {
  switch (request.kind) {
    case 'find':
      return find(connection, request)
    case 'count':
      return count(connection, request.selection)
    case 'page':
      return readPage(connection, request)
  }
}

function count(connection: Connection, selection: Selection): number {
  if (isExact(selection)) return connection.all(`SELECT count(*) FROM "${selection.table}" WHERE ${selection.where.sql}`, selection.where.params)[0][0] as number
  let found = 0
  for (const _ of selectRows(connection, selection, '', [])) found++
  return found
}

function readPage(connection: Connection, { selection, after }: ReadPage): Page {
  const sizes = connection.all(`SELECT rowid, octet_length(document) FROM "${selection.table}" WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE_DOCUMENTS}`, [after]) as [
    number,
    number,
  ][]
  let bytes = 0
  const over = sizes.findIndex(([, size], index) => (bytes += size) > PAGE_BYTES && index > 0)
  const last = sizes.at(over === -1 ? -1 : over - 1)?.[0]
  if (last === undefined) return { documents: [], last: null }
  const rows = [...selectRows(connection, selection, ' AND rowid > ? AND rowid <= ? ORDER BY rowid', [after, last])]
  return { documents: rows.map(({ json }) => json), last }
}
