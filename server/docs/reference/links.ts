/** Addresses of the pages of the reference, relative to one of them: a proxy may serve the service below any path. */

/** The pages beside those of tags. */
export const REQUESTS = 'requests'
export const EVENTS = 'events'
export const SCHEMAS = 'schemas'

export interface Links {
  /** @param slug of a page; '': the first one */
  page(slug: string): string
  schema(name: string): string
  /** A file beside the pages, such as `page.css`. */
  file(name: string): string
  /** Beside the first page, such as `openapi.json`. */
  beside(name: string): string
}

/** @param root name of the first page, below which the others are @param isBelow whether the links are for one of the others */
export function linksFrom(root: string, isBelow: boolean): Links {
  const up = isBelow ? '../' : ''
  const page = (slug: string): string => `${up}${root}${slug === '' ? '' : `/${slug}`}`
  return { page, schema: (name) => `${page(SCHEMAS)}#schema-${name}`, file: (name) => `${up}docs/${name}`, beside: (name) => `${up}${name}` }
}

/** The page of a tag. */
export function slugOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-')
}
