/** Parameters of SCIM's lists and resources in the interface document. `protocol/query.ts` reads them; unknown parameters are ignored (RFC 7644, 3.4.2). */
import Type from 'typebox'
import type { ResourceType } from '../protocol/attribute.js'
import { PAGE_DEFAULT, PAGE_LIMIT } from '../protocol/query.js'

/** Longer than any filter that is read (`FILTER_CHARACTERS`), so that its refusal is in the form of SCIM. */
const PARAMETER_CHARACTERS = 8192
const parameter = (description: string, example: string) => Type.Optional(Type.String({ minLength: 0, maxLength: PARAMETER_CHARACTERS, examples: [example], description }))

const PROJECTION = {
  attributes: parameter('Names of the attributes to return, separated by commas; `id` and `schemas` are always returned.', 'displayName'),
  excludedAttributes: parameter('Names of attributes to leave out. Not together with `attributes`.', 'members'),
}

/** Parameters of a request that answers with a resource. */
export const ResourceQuery = Type.Object(PROJECTION, { additionalProperties: true })

/** Parameters of a list. @param filter an example */
export const listQueryOf = ({ name }: ResourceType, filter: string) =>
  Type.Object(
    {
      filter: parameter(`Filter of RFC 7644, 3.4.2.2, on attributes of ${name}.`, filter),
      sortBy: parameter('Name of the attribute that gives the order. Default: `id`.', 'displayName'),
      sortOrder: parameter('`ascending` or `descending`. Default: `ascending`.', 'ascending'),
      startIndex: parameter('Index of the first resource, from 1. Default: 1.', '1'),
      count: parameter(`Most resources of the page, at most ${PAGE_LIMIT}. Default: ${PAGE_DEFAULT}. With 0 the answer has \`totalResults\` only.`, '100'),
      ...PROJECTION,
    },
    { additionalProperties: true },
  )
