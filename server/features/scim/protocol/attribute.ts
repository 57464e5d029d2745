/**
 * Declarations of attributes and schemas (RFC 7643, 2 and 7). Validation, filters, PATCH, projection, sorting and the discovery endpoints all read these
 * declarations; nothing else knows an attribute by its name.
 */

export type AttributeType = 'string' | 'boolean' | 'integer' | 'decimal' | 'dateTime' | 'reference' | 'binary' | 'complex'

export interface Attribute {
  readonly name: string
  readonly type: AttributeType
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  /** Whether texts are compared with their letter case. */
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  readonly returned: 'always' | 'never' | 'default' | 'request'
  readonly uniqueness: 'none' | 'server' | 'global'
  /** Suggested values; others are accepted. */
  readonly canonicalValues?: readonly string[]
  /** Types of resources that a reference may name. */
  readonly referenceTypes?: readonly string[]
  /** The attributes in a complex attribute; empty for a simple one. */
  readonly subAttributes: readonly Attribute[]
  /** Maximum number of values of a multi-valued attribute. Not published, because RFC 7643 has no such field. */
  readonly maxValues: number
}

export interface Schema {
  /** The URN. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

export interface ResourceType {
  readonly name: string
  readonly description: string
  /** Path below the base of SCIM. */
  readonly endpoint: string
  readonly schema: Schema
  readonly extensions: readonly Schema[]
  /** Maximum length of all texts of a resource together. */
  readonly maxCharacters: number
}

/** Values of one multi-valued attribute. Directories send some addresses and phone numbers for each user. */
const VALUES_LIMIT = 100

type Options = Partial<Omit<Attribute, 'name' | 'description' | 'subAttributes' | 'type'>> & { readonly type?: Exclude<AttributeType, 'complex'> }

/** Declares an attribute that is not complex; a text that ignores letter case, unless the options say otherwise (RFC 7643, 2.2). */
export function attribute(name: string, description: string, options: Options = {}): Attribute {
  return { ...DEFAULTS, name, description, ...options, subAttributes: [] }
}

/** Declares a complex attribute. */
export function complex(name: string, description: string, subAttributes: readonly Attribute[], options: Omit<Options, 'type'> = {}): Attribute {
  return { ...DEFAULTS, name, description, ...options, type: 'complex', subAttributes }
}

const DEFAULTS = {
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  maxValues: VALUES_LIMIT,
} as const
