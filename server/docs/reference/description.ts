/** Types of the interface document, as far as the reference page reads it. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

export interface Reference {
  readonly $ref: string
}

export interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface Media {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, Example | Reference>>
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface DescribedResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

/** An operation, with its place. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, { readonly description: string }>>
    readonly examples: Readonly<Record<string, Example>>
    readonly securitySchemes: Readonly<
      Record<string, { readonly type: string; readonly in?: string; readonly name?: string; readonly scheme?: string; readonly description: string }>
    >
  }
}

/** The last segment of a reference. */
export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** The target of a reference; another value is returned unchanged. */
export function resolve<T extends object>(thing: T | Reference, table: Readonly<Record<string, T>>): T {
  return '$ref' in thing ? table[nameOf(thing)] : thing
}
