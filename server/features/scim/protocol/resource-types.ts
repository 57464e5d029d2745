/** The table of resource types and schemas. */
import type { ResourceType, Schema } from './attribute.js'
import { RESOURCE_TYPE, SCHEMA, SERVICE_PROVIDER_CONFIG } from './schemas/discovery.js'
import { GROUP } from './schemas/group.js'
import { ENTERPRISE_USER, USER } from './schemas/user.js'

/** Users of directories have some kilobytes; certificates are the largest values. */
const USER_CHARACTERS = 65_536
/** Ten thousand members with identifiers of 64 characters. */
const GROUP_CHARACTERS = 1_000_000

export const USER_TYPE: ResourceType = {
  name: 'User',
  description: 'User Account',
  endpoint: '/Users',
  schema: USER,
  extensions: [ENTERPRISE_USER],
  maxCharacters: USER_CHARACTERS,
}
export const GROUP_TYPE: ResourceType = { name: 'Group', description: 'Group', endpoint: '/Groups', schema: GROUP, extensions: [], maxCharacters: GROUP_CHARACTERS }

/** In the order of `/ResourceTypes`. */
export const RESOURCE_TYPES: readonly ResourceType[] = [USER_TYPE, GROUP_TYPE]
/** In the order of `/Schemas`. */
export const SCHEMAS: readonly Schema[] = [USER, ENTERPRISE_USER, GROUP, SERVICE_PROVIDER_CONFIG, RESOURCE_TYPE, SCHEMA]
