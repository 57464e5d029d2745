/** The query of lists (CONTRACT.md#lists-of-records), and the headers that describe the neighbouring pages. */
import Type, { type TObject, type TProperties } from 'typebox'

export const PAGE_LIMIT = 200
export const PAGE_DEFAULT = 50
/** Deeper pages have no use and cost as much as all pages before them. */
const OFFSET_LIMIT = 1_000_000

export interface ListQueryOptions<Sort extends readonly string[], Filters extends TProperties> {
  /** Fields to sort by. Default: `created_at` only. */
  readonly sort?: Sort
  readonly defaultSort?: Sort[number]
  readonly defaultOrder?: 'asc' | 'desc'
  /** Further parameters. They are required unless declared optional. */
  readonly filters?: Filters
}

const PAGING = {
  limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_DEFAULT, description: 'Entries of a page.' }),
  offset: Type.Integer({ minimum: 0, maximum: OFFSET_LIMIT, default: 0, description: 'Entries to pass over.' }),
}

/** The schema of `limit` and `offset` for a list whose order is not the caller's choice, and of a route's own parameters. */
export function pageQuery<Parameters extends TProperties = Record<never, never>>(parameters: Parameters = {} as Parameters) {
  return Type.Object({ ...PAGING, ...parameters })
}

/** The schema of `limit`, `offset`, `sort` and `order`, all with defaults, and of a route's own filters. */
export function listQuery<const Sort extends readonly string[] = readonly ['created_at'], Filters extends TProperties = Record<never, never>>(
  options: ListQueryOptions<Sort, Filters> = {},
) {
  const sort = (options.sort ?? ['created_at']) as Sort
  return Type.Object({
    ...PAGING,
    sort: Type.Unsafe<Sort[number]>({ type: 'string', enum: [...sort], default: options.defaultSort ?? sort[0], description: 'Field to sort by.' }),
    order: Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: options.defaultOrder ?? 'desc', description: 'Direction of the sorting.' }),
    ...((options.filters ?? {}) as Filters),
  })
}

/** Whether the query of a route is a list query. */
export function isListQuery(query: TObject | undefined): boolean {
  return query !== undefined && 'limit' in query.properties && 'offset' in query.properties
}

/** The header `Link` of a page (RFC 8288). @param url of the request, with its query */
export function pageLinks(url: URL, total: number, limit: number, offset: number): string {
  // Links only to pages that would not be refused.
  const last = Math.min(Math.max(0, Math.ceil(total / limit) - 1), Math.floor(OFFSET_LIMIT / limit)) * limit
  const pages: [string, number][] = [['first', 0]]
  if (offset > 0) pages.push(['prev', Math.max(0, Math.min(offset - limit, last))])
  if (offset + limit < total && offset + limit <= OFFSET_LIMIT) pages.push(['next', offset + limit])
  pages.push(['last', last])
  return pages
    .map(([rel, start]) => {
      const page = new URL(url)
      page.searchParams.set('limit', String(limit))
      page.searchParams.set('offset', String(start))
      return `<${page.href}>; rel="${rel}"`
    })
    .join(', ')
}
