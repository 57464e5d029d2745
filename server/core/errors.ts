/**
 * The table of errors: a reason with its code and status (CONTRACT.md#errors). A reason is specific; several reasons share a code. The texts are in
 * `i18n/messages/<locale>/errors.ts`; a missing text does not compile.
 */

export interface ErrorEntry {
  readonly status: number
  /** Code of the contract. */
  readonly code: string
}

export const ERRORS = {
  body_unparseable: { status: 400, code: 'bad_request' },
  /** A line of a batch; the other lines are still processed. */
  line_unparseable: { status: 400, code: 'bad_request' },
  /** The body is not what its `Content-Encoding` says, or is cut off. */
  body_encoding_broken: { status: 400, code: 'bad_request' },
  /** The body is compressed, and no `Content-Encoding` says so. */
  body_encoding_unnamed: { status: 400, code: 'bad_request' },
  body_aborted: { status: 400, code: 'bad_request' },
  chunks_too_small: { status: 400, code: 'bad_request' },
  path_malformed: { status: 400, code: 'bad_request' },
  header_malformed: { status: 400, code: 'bad_request' },
  ruleset_unreadable: { status: 400, code: 'bad_request' },
  /** Stored content whose analysis was stopped. For content in a request, a stopped analysis is a result with a diagnostic. */
  ruleset_stopped: { status: 400, code: 'bad_request' },
  http_malformed: { status: 400, code: 'bad_request' },
  reset_token_invalid: { status: 400, code: 'bad_request' },
  invitation_expired: { status: 400, code: 'bad_request' },
  /** A wrong password or code in a request with a session: a 401 would say that the session is invalid. */
  password_wrong: { status: 400, code: 'bad_request' },
  code_wrong: { status: 400, code: 'bad_request' },
  /** The state of a callback is used, expired, or of another provider. */
  sso_state_invalid: { status: 400, code: 'bad_request' },
  /** Another browser began the login. */
  sso_browser_other: { status: 400, code: 'bad_request' },
  /** A webhook of a forge: the binding is unknown, or the signature is not its own. */
  webhook_refused: { status: 400, code: 'bad_request' },
  /** A webhook of the payment gateway: the signature is missing, wrong or too old. */
  billing_signature_invalid: { status: 400, code: 'bad_request' },
  /** A signed webhook of the payment gateway that is no event. */
  billing_event_malformed: { status: 400, code: 'bad_request' },
  /** The egress guard refused the target of an outbound request. */
  target_refused: { status: 400, code: 'bad_request' },

  /** The plan does not exist, or cannot be bought. */
  plan_not_for_sale: { status: 400, code: 'bad_request' },

  /** Anyone can get a mailbox under the domain. */
  domain_shared: { status: 400, code: 'bad_request' },

  /** A request that violates the protocol of SCIM: the cause is a `ScimError`. */
  scim_refused: { status: 400, code: 'bad_request' },

  /** The integration is of another kind than the operation needs. */
  integration_kind_wrong: { status: 400, code: 'bad_request' },

  /** Failures of an external provider (`egress/provider-error.ts`). */
  provider_credentials_refused: { status: 400, code: 'provider_credentials_refused' },
  provider_scope_missing: { status: 400, code: 'provider_scope_missing' },
  provider_not_found: { status: 400, code: 'provider_not_found' },
  provider_branch_protected: { status: 409, code: 'provider_branch_protected' },
  provider_head_moved: { status: 409, code: 'provider_head_moved' },
  provider_rate_limited: { status: 503, code: 'provider_rate_limited' },
  provider_unavailable: { status: 502, code: 'provider_unavailable' },
  provider_redirect_refused: { status: 400, code: 'provider_redirect_refused' },
  provider_too_large: { status: 400, code: 'provider_too_large' },
  provider_unsupported: { status: 400, code: 'provider_unsupported' },
  provider_refused: { status: 400, code: 'provider_refused' },

  /** The provider of the assistant's language model failed (`assistant/gateways/ai-provider-error.ts`). */
  ai_provider_failed: { status: 502, code: 'ai_provider_failed' },

  /** Failures of an OpenID provider (`sso/oidc/oidc-error.ts`). */
  oidc_unreachable: { status: 502, code: 'oidc_unreachable' },
  oidc_too_large: { status: 502, code: 'oidc_too_large' },
  oidc_answer_invalid: { status: 502, code: 'oidc_answer_invalid' },
  oidc_issuer_mismatch: { status: 502, code: 'oidc_issuer_mismatch' },
  oidc_endpoint_insecure: { status: 502, code: 'oidc_endpoint_insecure' },
  oidc_unsupported: { status: 502, code: 'oidc_unsupported' },
  oidc_login_refused: { status: 400, code: 'oidc_login_refused' },
  oidc_login_canceled: { status: 400, code: 'oidc_login_canceled' },
  oidc_response_invalid: { status: 400, code: 'oidc_response_invalid' },
  oidc_client_refused: { status: 502, code: 'oidc_client_refused' },
  oidc_code_refused: { status: 400, code: 'oidc_code_refused' },
  oidc_exchange_refused: { status: 502, code: 'oidc_exchange_refused' },
  oidc_token_invalid: { status: 400, code: 'oidc_token_invalid' },
  oidc_tenant_refused: { status: 403, code: 'oidc_tenant_refused' },
  oidc_claim_refused: { status: 403, code: 'oidc_claim_refused' },
  oidc_userinfo_invalid: { status: 400, code: 'oidc_userinfo_invalid' },

  credential_missing: { status: 401, code: 'unauthorized' },
  credential_invalid: { status: 401, code: 'unauthorized' },
  session_required: { status: 401, code: 'unauthorized' },
  scim_token_required: { status: 401, code: 'unauthorized' },
  login_failed: { status: 401, code: 'unauthorized' },
  /** The password is right, and the account has a second factor: `details.challenge` is for `POST /auth/login/second-factor`. */
  second_factor_required: { status: 401, code: 'second_factor_required' },
  /** The same where the code belongs to the request itself. */
  second_factor_code_required: { status: 401, code: 'second_factor_required' },
  second_factor_wrong: { status: 401, code: 'unauthorized' },
  challenge_invalid: { status: 401, code: 'unauthorized' },

  /** A page of another site sent the browser to a login. */
  sso_unconfirmed: { status: 403, code: 'forbidden' },
  /** Plans mean nothing without billing. */
  billing_gateway_disabled: { status: 402, code: 'billing_gateway_disabled' },
  /** A setting of the payment gateway is missing. */
  billing_unconfigured: { status: 402, code: 'payment_required' },
  /** The payment gateway fails, refuses the request or does not answer. `details.failure`. */
  billing_unavailable: { status: 402, code: 'payment_required' },

  /** An operation needs a subscription that the organization has never begun. */
  billing_subscription_required: { status: 402, code: 'billing_subscription_required' },
  /** The period that was paid continues after the subscription was canceled. */
  organization_canceled: { status: 403, code: 'forbidden' },

  permission_missing: { status: 403, code: 'forbidden' },
  platform_admin_required: { status: 403, code: 'forbidden' },
  organization_not_yours: { status: 403, code: 'forbidden' },
  organization_missing: { status: 403, code: 'forbidden' },
  organization_suspended: { status: 403, code: 'forbidden' },
  sso_required: { status: 403, code: 'forbidden' },
  second_factor_missing: { status: 403, code: 'forbidden' },
  /** Sessions of an identity provider don't change the password or the second factor. */
  password_session_required: { status: 403, code: 'forbidden' },
  /** A platform admin removes their own second factor with a code, so that a stolen session can't. */
  own_second_factor: { status: 403, code: 'forbidden' },
  own_review: { status: 403, code: 'forbidden' },
  not_own_review: { status: 403, code: 'forbidden' },
  user_inactive: { status: 403, code: 'forbidden' },
  signup_disabled: { status: 403, code: 'forbidden' },
  /** An account that is no member joins only if the organization has proven the domain of its e-mail. */
  domain_unproven: { status: 403, code: 'forbidden' },
  /** The organization may not change the e-mail of the account. */
  account_email_refused: { status: 403, code: 'forbidden' },
  /** The discovery resources of SCIM have no filters. */
  scim_filter_refused: { status: 403, code: 'forbidden' },
  /** An administrator or SCIM removed the user from the organization. */
  former_member: { status: 403, code: 'forbidden' },
  /** The provider gives no address, or one that it has not verified. */
  sso_email_missing: { status: 403, code: 'forbidden' },
  sso_email_unverified: { status: 403, code: 'forbidden' },
  /** The plan of the organization does not include single sign-on. */
  sso_not_in_plan: { status: 403, code: 'plan_quota_exceeded' },
  /** The plan of the organization does not include the assistant. */
  assistant_not_in_plan: { status: 403, code: 'plan_quota_exceeded' },
  /** The plan of the organization does not include access by API keys. */
  api_access_not_in_plan: { status: 403, code: 'plan_quota_exceeded' },
  /** Neither rules nor decoders were sent. */
  assistant_xml_empty: { status: 400, code: 'bad_request' },
  /** No platform admin has enabled the assistant. */
  assistant_disabled: { status: 403, code: 'forbidden' },
  /** An API key must not rotate a key that expires later than itself. */
  key_outlives_caller: { status: 403, code: 'forbidden' },
  origin_refused: { status: 403, code: 'forbidden' },
  plan_quota_exceeded: { status: 403, code: 'plan_quota_exceeded' },
  /** The object, or the caller as a member, is over the limit of a plan that was larger before: it can be read, and not changed. */
  over_plan_limit: { status: 403, code: 'plan_quota_exceeded' },

  route_missing: { status: 404, code: 'not_found' },
  resource_missing: { status: 404, code: 'not_found' },
  compiled_hash_unknown: { status: 404, code: 'not_found' },

  /** `Accept` names no type in which the answer can be given. */
  not_acceptable: { status: 406, code: 'not_acceptable' },
  method_not_allowed: { status: 405, code: 'method_not_allowed' },
  request_timeout: { status: 408, code: 'request_timeout' },

  bootstrap_done: { status: 409, code: 'conflict' },
  email_taken: { status: 409, code: 'conflict' },
  member_exists: { status: 409, code: 'conflict' },
  second_factor_enabled: { status: 409, code: 'conflict' },
  /** The account has no second factor, or none that waits for its confirmation. */
  second_factor_absent: { status: 409, code: 'conflict' },
  last_admin: { status: 409, code: 'conflict' },
  /** While a provider is required, an org_admin must be able to log in without it. */
  policy_locks_out: { status: 409, code: 'conflict' },
  break_glass_unusable: { status: 409, code: 'conflict' },
  domain_exists: { status: 409, code: 'conflict' },
  domain_taken: { status: 409, code: 'conflict' },
  domain_record_missing: { status: 409, code: 'conflict' },
  domain_limit: { status: 409, code: 'conflict' },
  /** Another identity provider, perhaps of another organization, lists the domain. */
  domain_listed: { status: 409, code: 'conflict' },
  identity_provider_limit: { status: 409, code: 'conflict' },
  /** The last provider of an organization that requires one. */
  identity_provider_required: { status: 409, code: 'conflict' },
  /** The organization would require a provider and has none. */
  identity_provider_absent: { status: 409, code: 'conflict' },
  scim_token_limit: { status: 409, code: 'conflict' },
  /** A user with this `userName`, or of this account, is provisioned already. */
  scim_user_exists: { status: 409, code: 'conflict' },
  scim_user_limit: { status: 409, code: 'conflict' },
  /** Names of groups are unique in an organization, in any letter case. */
  scim_group_exists: { status: 409, code: 'conflict' },
  scim_group_limit: { status: 409, code: 'conflict' },
  last_platform_admin: { status: 409, code: 'conflict' },
  invitation_used: { status: 409, code: 'conflict' },
  member_limit: { status: 409, code: 'conflict' },
  organization_limit: { status: 409, code: 'conflict' },
  invitation_limit: { status: 409, code: 'conflict' },
  api_key_limit: { status: 409, code: 'conflict' },
  /** It can only be read. */
  project_archived: { status: 409, code: 'conflict' },
  /** Only an archived project can be deleted. */
  project_not_archived: { status: 409, code: 'conflict' },
  /** A check or a publication of its Git bindings is still running. */
  project_busy: { status: 409, code: 'conflict' },
  project_limit: { status: 409, code: 'conflict' },
  case_limit: { status: 409, code: 'conflict' },
  workspace_limit: { status: 409, code: 'conflict' },
  /** A workspace with an open review cannot be deleted. */
  workspace_in_review: { status: 409, code: 'conflict' },
  workspace_closed: { status: 409, code: 'conflict' },
  review_final: { status: 409, code: 'conflict' },
  comment_limit: { status: 409, code: 'conflict' },
  version_limit: { status: 409, code: 'conflict' },
  version_published: { status: 409, code: 'conflict' },
  /** The quality gate failed, and the caller asked for an error. */
  publish_refused: { status: 409, code: 'conflict' },
  version_not_restorable: { status: 409, code: 'conflict' },
  version_not_draft: { status: 409, code: 'conflict' },
  feedback_limit: { status: 409, code: 'conflict' },
  attachment_limit: { status: 409, code: 'conflict' },
  webhook_limit: { status: 409, code: 'conflict' },
  webhook_inactive: { status: 409, code: 'conflict' },
  integration_limit: { status: 409, code: 'conflict' },
  /** The stored credentials were sealed with a lost key, or moved. */
  credentials_unreadable: { status: 409, code: 'conflict' },
  pipeline_run_ended: { status: 409, code: 'conflict' },
  /** The integration of the run was deleted. */
  pipeline_run_orphaned: { status: 409, code: 'conflict' },
  pipeline_run_limit: { status: 409, code: 'conflict' },
  binding_limit: { status: 409, code: 'conflict' },
  /** The integration of the binding was deleted. */
  binding_orphaned: { status: 409, code: 'conflict' },
  /** The branch has another head than the one that the request names. */
  head_changed: { status: 409, code: 'conflict' },
  /** Files of a repository define a variable with different values. */
  variable_clash: { status: 409, code: 'conflict' },
  /** A part of an upload begins elsewhere than the last one has ended. */
  upload_offset_wrong: { status: 409, code: 'conflict' },
  /** The operator does not permit the object store of an import. */
  object_store_refused: { status: 400, code: 'bad_request' },
  /** The upload of the corpus is not complete. */
  corpus_unready: { status: 409, code: 'conflict' },
  replay_unfinished: { status: 409, code: 'conflict' },
  replay_ended: { status: 409, code: 'conflict' },
  /** The bytes of a corpus are deleted. */
  corpus_gone: { status: 409, code: 'conflict' },
  edit_conflict: { status: 409, code: 'conflict' },
  git_conflicts: { status: 409, code: 'git_conflicts' },
  git_gate_failed: { status: 409, code: 'git_gate_failed' },
  git_publish_running: { status: 409, code: 'git_publish_running' },
  /** Only in the history of runs. */
  git_publish_interrupted: { status: 409, code: 'git_publish_interrupted' },
  /** A link, or a file that is not text, has the path at which a file would be written. */
  git_path_occupied: { status: 409, code: 'git_path_occupied' },
  review_branch_moved: { status: 409, code: 'review_branch_moved' },
  idempotency_key_reused: { status: 409, code: 'conflict' },
  idempotency_in_progress: { status: 409, code: 'conflict' },

  precondition_failed: { status: 412, code: 'precondition_failed' },
  payload_too_large: { status: 413, code: 'payload_too_large' },
  upload_beyond_size: { status: 413, code: 'payload_too_large' },
  document_too_large: { status: 413, code: 'payload_too_large' },
  answer_too_large: { status: 413, code: 'payload_too_large' },
  media_type_unsupported: { status: 415, code: 'unsupported_media_type' },
  media_type_missing: { status: 415, code: 'unsupported_media_type' },
  body_encoded: { status: 415, code: 'unsupported_media_type' },

  /** Validation errors of the analysis endpoints. */
  validation_failed: { status: 422, code: 'validation_failed' },
  request_validation_failed: { status: 422, code: 'request_validation_failed' },
  /** The first line of the batch is an event instead of settings. */
  batch_without_settings: { status: 422, code: 'request_validation_failed' },

  rate_limited: { status: 429, code: 'rate_limited' },
  login_throttled: { status: 429, code: 'rate_limited' },
  /** Too many failed logins: for one e-mail from all addresses, or from one address with all e-mails. */
  second_factor_throttled: { status: 429, code: 'rate_limited' },
  account_throttled: { status: 429, code: 'rate_limited' },
  address_throttled: { status: 429, code: 'rate_limited' },
  signup_throttled: { status: 429, code: 'rate_limited' },
  sse_connection_limit_exceeded: { status: 429, code: 'sse_connection_limit_exceeded' },

  headers_too_large: { status: 431, code: 'request_header_fields_too_large' },

  internal_error: { status: 500, code: 'internal_error' },
  /** Sign-in by SAML is a preview that processes no response. */
  saml_unsupported: { status: 501, code: 'not_implemented' },
  /** An optional part of SCIM: `/Me` and `/Bulk`. */
  scim_unsupported: { status: 501, code: 'not_implemented' },
  /** No name server answered. */
  dns_unavailable: { status: 503, code: 'service_unavailable' },
  handler_timeout: { status: 503, code: 'service_unavailable' },
  overloaded: { status: 503, code: 'service_unavailable' },
  /** The caller has reached a limit of its own; other callers are not affected. */
  limit_reached: { status: 503, code: 'service_unavailable' },
  database_unavailable: { status: 503, code: 'service_unavailable' },
  shutting_down: { status: 503, code: 'service_unavailable' },
  storage_full: { status: 507, code: 'insufficient_storage' },
} as const satisfies Record<string, ErrorEntry>

export type ErrorReason = keyof typeof ERRORS

export interface ApiErrorOptions {
  /** Values for the placeholders of the text. */
  readonly params?: Readonly<Record<string, string | number>>
  /** Sent as `details`. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error of the API. The caller sees only what the table, the texts and `details` contain. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly reason: ErrorReason
  readonly params: Readonly<Record<string, string | number>>
  readonly details: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(reason: ErrorReason, { params = {}, details = {}, headers = {}, cause }: ApiErrorOptions = {}) {
    super(reason, { cause })
    this.reason = reason
    this.params = params
    this.details = details
    this.headers = headers
  }

  get status(): number {
    return ERRORS[this.reason].status
  }

  get code(): string {
    return ERRORS[this.reason].code
  }
}

/** Returns what was looked up. @throws ApiError resource_missing if there is none */
export function required<T>(found: T | null): T {
  if (found === null) throw new ApiError('resource_missing')
  return found
}
