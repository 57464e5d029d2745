/** URNs of SCIM, and the messages that clients send most. */

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const SEARCH_URN = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
export const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** A user with this `userName`. */
export const named = <Further extends object>(userName: string, further?: Further) => ({ schemas: [USER_URN], userName, ...(further as Further) })

/** A PATCH of these operations. */
export const operations = (...Operations: object[]) => ({ schemas: [PATCH_URN], Operations })

/** A PATCH that replaces one attribute. */
export const setting = (path: string, value: unknown) => operations({ op: 'replace', path, value })

/** The operation that adds members to a group. */
export const addingMembers = (...ids: readonly string[]) => ({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) })
