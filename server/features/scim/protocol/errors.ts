import { type ErrorParams, LocalizedError } from '../../../core/i18n/localized-error.js'
import { scim as english } from '../../../core/i18n/messages/en-US/scim.js'
import { scim as portuguese } from '../../../core/i18n/messages/pt-BR/scim.js'

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

export type ScimType = 'invalidFilter' | 'tooMany' | 'uniqueness' | 'mutability' | 'invalidSyntax' | 'invalidPath' | 'noTarget' | 'invalidValue' | 'invalidVers' | 'sensitive'
export type ScimFault = keyof typeof english

const TEXTS = { 'en-US': english, 'pt-BR': portuguese }

const SCIM_TYPES: Readonly<Record<ScimFault, ScimType>> = {
  filter_too_long: 'invalidFilter',
  filter_too_deep: 'invalidFilter',
  filter_too_many_terms: 'invalidFilter',
  filter_syntax: 'invalidFilter',
  filter_attribute_unknown: 'invalidFilter',
  filter_comparison_unsupported: 'invalidFilter',
  filter_value_wrong: 'invalidFilter',
  too_many_comparisons: 'tooMany',
  path_syntax: 'invalidPath',
  path_unknown: 'invalidPath',
  path_filter_unsupported: 'invalidPath',
  path_required: 'noTarget',
  target_missing: 'noTarget',
  attribute_read_only: 'mutability',
  attribute_immutable: 'mutability',
  attribute_required: 'mutability',
  value_missing: 'invalidValue',
  value_wrong: 'invalidValue',
  value_too_long: 'invalidValue',
  values_too_many: 'invalidValue',
  values_primary: 'invalidValue',
  member_unknown: 'invalidValue',
  member_type_wrong: 'invalidValue',
  members_too_many: 'tooMany',
  resource_too_large: 'invalidValue',
  email_missing: 'invalidValue',
  body_wrong: 'invalidSyntax',
  schema_missing: 'invalidSyntax',
  operations_missing: 'invalidSyntax',
  operations_too_many: 'invalidSyntax',
  operation_wrong: 'invalidSyntax',
  operation_value_missing: 'invalidValue',
  parameter_wrong: 'invalidValue',
  parameters_exclusive: 'invalidValue',
  sort_attribute_wrong: 'invalidValue',
}

/** A refused request. All of these have the status 400. */
export class ScimError<Fault extends ScimFault = ScimFault> extends LocalizedError<typeof english, Fault> {
  override readonly name = 'ScimError'
  readonly status = 400
  readonly scimType: ScimType

  constructor(fault: Fault, params: ErrorParams<typeof english, Fault>) {
    super(TEXTS, fault, params)
    this.scimType = SCIM_TYPES[fault]
  }
}

export interface ScimErrorBody {
  readonly schemas: readonly [typeof ERROR_SCHEMA]
  readonly scimType?: ScimType
  readonly detail: string
  /** The status, as a text. */
  readonly status: string
}

/** The body of an error. @param scimType null: RFC 7644 defines none for this error, as for 404 and 412 */
export function errorBody(status: number, scimType: ScimType | null, detail: string): ScimErrorBody {
  return { schemas: [ERROR_SCHEMA], ...(scimType === null ? {} : { scimType }), detail, status: String(status) }
}
