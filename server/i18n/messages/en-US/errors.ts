/** Error texts in English. */
import type { ErrorReason } from '../../../errors.js'

export const errors = {
  body_unparseable: { message: 'The body is not valid JSON.', hint: 'Send one JSON object, UTF-8, with Content-Type: application/json.' },
  line_unparseable: { message: 'The line is not valid JSON.', hint: 'Send one JSON object per line, in UTF-8.' },
  body_aborted: { message: 'The body ended before its declared length.', hint: 'Send the whole body; the connection may have been interrupted.' },
  chunks_too_small: {
    message: 'The body is sent in chunks that are too small.',
    hint: 'Send chunks of {bytes} bytes or more on average; HTTP clients do that when they send the body as a whole.',
  },
  path_malformed: { message: 'The path contains malformed percent encoding.', hint: 'Encode special characters of path segments.' },
  header_malformed: { message: 'The header {header} cannot be read.', hint: 'See the description of the header in the interface document.' },
  ruleset_unreadable: { message: 'At least one file is not well-formed: Wazuh could not read it.', hint: 'See details.diagnostics for file, line and reason.' },
  ruleset_stopped: { message: 'The ruleset could not be compiled within its time and memory limits.', hint: 'See details.diagnostics for where it was stopped.' },
  http_malformed: { message: 'The HTTP request is malformed.', hint: 'Check the client, and any proxy in front of this service.' },
  reset_token_invalid: { message: 'The reset token is wrong, was used, or has expired.', hint: 'Request a new one with POST /auth/password-reset/request.' },
  invitation_expired: { message: 'The invitation has expired.', hint: 'Ask an administrator of the organization for a new one.' },
  sso_state_invalid: { message: 'This sign-in has expired, was used already, or was not begun here.', hint: 'Begin to sign in again.' },
  sso_unconfirmed: {
    message: 'A page of another site sent you here to sign in.',
    hint: 'Sign in with the link if you want to.',
  },
  sso_browser_other: {
    message: 'This sign-in was begun in another browser, or this one does not keep cookies.',
    hint: 'Begin to sign in again in this browser.',
  },
  webhook_refused: {
    message: 'The binding does not exist, or the signature is not that of its secret.',
    hint: 'Set the address and the secret of the binding at the provider, and the type application/json; POST …/rotate-secret gives a new secret.',
  },
  billing_signature_invalid: {
    message: 'The signature of the event is missing, wrong or older than five minutes.',
    hint: 'Set NATIVE_SERVICE_GATEWAY_WEBHOOK_SECRET to the signing secret of this endpoint, and check the clock of the server.',
  },
  billing_event_malformed: {
    message: 'The signed body is not an event of the payment gateway.',
    hint: "Send the gateway's own events, with the API version of server/BILLING.md.",
  },
  domain_shared: { message: 'Anyone can get a mailbox of {domain}, so no organization can claim it.', hint: 'Claim the domain of your own e-mail addresses.' },
  target_refused: {
    message: 'The address is not public, or resolves to one that is not: loopback, link-local, private or special.',
    hint: 'Use a public address; the operator of this service can allow others.',
  },
  scim_refused: { message: 'The request violates the SCIM protocol.', hint: 'Correct the request as the detail says.' },
  integration_kind_wrong: { message: 'The integration is not of the kind {kind}.', hint: 'Name an integration of that kind; GET integrations lists them.' },

  provider_credentials_refused: {
    message: '{provider} refused the credential.',
    hint: 'The token may have expired or been revoked: send new credentials with PATCH to the integration.',
  },
  provider_scope_missing: {
    message: 'The credential lacks a permission at {provider}.',
    hint: 'Give the token or app the scopes in details.scopes, or write access to the repository.',
  },
  provider_not_found: {
    message: '{provider} has no such object, or the credential may not see it.',
    hint: 'Check what details.what names, and the rights of the credential.',
  },
  provider_branch_protected: { message: '{provider} protects the branch.', hint: 'Use publish_strategy "review", or allow the credential to push to the branch.' },
  provider_head_moved: { message: 'The branch at {provider} has new commits.', hint: 'Import them, then repeat the request.' },
  provider_rate_limited: { message: '{provider} limits the rate of requests.', hint: 'Repeat the request after details.retry_at; without it, after some minutes.' },
  provider_unavailable: { message: '{provider} did not answer, or answered with an error of its own.', hint: 'Try again later; details.failure says what happened.' },
  provider_redirect_refused: { message: '{provider} answered with a redirect, which is not followed.', hint: 'Set base_url of the integration to the final address.' },
  provider_too_large: { message: 'A limit of this service for {provider} is exceeded.', hint: 'See details.limit; select fewer files, smaller files or another repository.' },
  provider_unsupported: { message: '{provider} does not support this operation.', hint: 'GET /platform/git-providers/capabilities lists what each provider supports.' },
  provider_refused: { message: '{provider} refused the request.', hint: 'See details.status and details.provider_message.' },

  oidc_unreachable: {
    message: 'The identity provider did not answer, or answered with an error of its own.',
    hint: 'Try again later; details.endpoint and details.failure or details.status say what happened.',
  },
  oidc_too_large: {
    message: 'An answer of the identity provider is longer than this service reads.',
    hint: 'Check the addresses of the provider; details.endpoint names the one.',
  },
  oidc_answer_invalid: {
    message: 'The identity provider gave an answer that OpenID Connect does not allow.',
    hint: 'Check issuer and discovery_url of the provider; details.endpoint and details.status or details.field say what is wrong.',
  },
  oidc_issuer_mismatch: {
    message: 'The identity provider names another issuer than the one that is configured.',
    hint: 'Set issuer to details.found if that is your provider; every character counts, a trailing slash too.',
  },
  oidc_endpoint_insecure: { message: 'The identity provider announces an address without https.', hint: 'Set up TLS at the provider; details.field names the address.' },
  oidc_unsupported: { message: 'The identity provider offers nothing that this service can use for details.field.', hint: 'Change the setting of the client at the provider.' },
  oidc_login_refused: { message: 'The identity provider refused the login.', hint: 'details.error is its reason; an administrator can look it up in the log of the provider.' },
  oidc_login_canceled: {
    message: 'The login was canceled at the identity provider, or it does not allow you to log in.',
    hint: 'Log in again, or ask an administrator for access.',
  },
  oidc_response_invalid: {
    message: 'The answer does not belong to a login of this identity provider.',
    hint: 'Begin the login again.',
  },
  oidc_client_refused: {
    message: 'The identity provider does not accept the client of this organization.',
    hint: 'An administrator has to check client_id and client_secret of the provider; the secret may have expired.',
  },
  oidc_code_refused: { message: 'The identity provider does not accept the code of this login: it was used or has expired.', hint: 'Begin the login again.' },
  oidc_exchange_refused: {
    message: 'The identity provider refused to complete the login.',
    hint: 'details.error is its reason; an administrator has to check the settings of the client at the provider.',
  },
  oidc_token_invalid: {
    message: 'The identity provider sent a token that fails a check, so the login ends here.',
    hint: 'Begin the login again. If the error remains, an administrator has to compare the settings with details.check.',
  },
  oidc_tenant_refused: {
    message: 'Accounts of your tenant cannot log in here.',
    hint: 'Log in with an account of another tenant, or ask an administrator to add yours to tenant_ids.',
  },
  oidc_claim_refused: {
    message: 'Your account at the identity provider does not meet a condition of this organization.',
    hint: 'An administrator can see in required_claims what details.claim has to be.',
  },
  oidc_userinfo_invalid: { message: 'The identity provider did not confirm who you are: its answers contradict each other.', hint: 'Begin the login again.' },

  credential_missing: { message: 'This request needs a credential.', hint: 'Send X-API-Key, Authorization: Bearer, or the session cookie.' },
  credential_invalid: { message: 'The credential is wrong, revoked or expired.', hint: 'Log in again, or use a valid API key.' },
  session_required: { message: 'This request needs a user session; API keys are not accepted.', hint: 'Log in with POST /auth/login.' },
  login_failed: { message: 'E-mail or password is wrong.', hint: 'Check both; a forgotten password can be reset.' },
  second_factor_required: {
    message: 'The account has a second factor.',
    hint: 'Send details.challenge and a code to POST /auth/login/second-factor, before details.expires_at.',
  },
  second_factor_code_required: { message: 'The account has a second factor.', hint: 'Repeat the request with a code of the authenticator, or a recovery code, in "code".' },
  second_factor_wrong: { message: 'The code is wrong or was used already.', hint: 'Send the next code of the authenticator, or a recovery code that was not used.' },
  challenge_invalid: { message: 'The challenge is wrong, was used, or has expired.', hint: 'Log in with POST /auth/login again.' },

  scim_token_required: {
    message: 'This request needs a token for provisioning (SCIM).',
    hint: 'An administrator creates one with POST /platform/organizations/{organization_id}/scim-tokens.',
  },
  permission_missing: { message: 'Your role or key lacks the permission {permission}.', hint: 'Ask an administrator of the organization, or use a key with the right scope.' },
  platform_admin_required: { message: 'Only a platform administrator may do this.', hint: 'Log in as a platform administrator.' },
  organization_not_yours: {
    message: 'The organization that the request names is not one of yours.',
    hint: 'Leave X-Org-Id out (at a login organization_id), or name an organization of yours; a key has exactly one.',
  },
  organization_missing: {
    message: 'You are not a member of any organization, and this request needs one.',
    hint: 'Ask for an invitation; a platform administrator can choose an organization with X-Org-Id.',
  },
  sso_required: { message: 'The organization requires sign-in through its identity provider.', hint: 'Sign in through the identity provider of the organization.' },
  second_factor_missing: {
    message: 'The organization requires a second factor, and this session was opened without one.',
    hint: 'Set up a second factor with POST /auth/me/second-factor, and log in again.',
  },
  password_wrong: { message: 'The password of the account is wrong.', hint: 'A forgotten password can be reset with POST /auth/password-reset/request.' },
  code_wrong: { message: 'The code is wrong or was used already.', hint: 'Send the next code of the authenticator, or a recovery code that was not used.' },
  password_session_required: {
    message: 'A session of an identity provider cannot change the password or the second factor.',
    hint: 'Log in with e-mail and password.',
  },
  organization_suspended: { message: 'The organization is suspended.', hint: 'Ask the operator of this service.' },
  domain_unproven: {
    message: 'An account has this e-mail, and the organization has not proven its domain.',
    hint: 'Invite the user, or prove the domain with POST /platform/organizations/{organization_id}/domains.',
  },
  own_second_factor: {
    message: 'Your own second factor is removed with a code.',
    hint: 'Send a code to POST /auth/me/second-factor/remove, or ask another platform admin.',
  },
  own_review: { message: "You can't decide a review that you opened.", hint: 'Ask another reviewer; in an organization with one member it is allowed.' },
  not_own_review: { message: 'Only the user who opened a review can withdraw it.', hint: 'A user who may approve reviews can close it with PATCH on the review.' },
  user_inactive: { message: 'The user account is deactivated.', hint: 'Ask the operator of this service.' },
  account_email_refused: {
    message: 'The e-mail of the account cannot be changed.',
    hint: 'The organization must have proven the domain of the new e-mail, and the account must belong to this organization alone: provisioned by it, or of a domain that it has proven.',
  },
  scim_filter_refused: { message: 'Schemas, resource types and the service provider configuration cannot be filtered.', hint: 'Send the request without a filter.' },
  former_member: {
    message: 'You were removed from the organization.',
    hint: 'Ask an administrator of the organization to invite you again; then sign in once more.',
  },
  sso_email_missing: {
    message: 'The identity provider does not give your e-mail address.',
    hint: 'An administrator sets email_claim and scopes of the identity provider, or the e-mail address of your account there.',
  },
  sso_email_unverified: {
    message: 'The identity provider has not verified your e-mail address.',
    hint: 'Verify the address at the identity provider. If it verifies all addresses without saying so, an administrator sets trust_email.',
  },
  sso_not_in_plan: { message: 'The plan of the organization does not include single sign-on.', hint: 'Log in with e-mail and password, or change the plan.' },
  assistant_not_in_plan: { message: 'The plan of the organization does not include the assistant.', hint: 'An administrator of the organization can change the plan.' },
  api_access_not_in_plan: { message: 'The plan of the organization does not include API keys.', hint: 'Log in with a user account, or change the plan.' },
  ai_provider_failed: {
    message: 'The provider of the assistant failed.',
    hint: 'Try again later. If it persists, a platform admin checks the settings with POST /platform/admin/ai/test; details.failure has the kind of the failure.',
  },
  assistant_xml_empty: { message: 'The request has neither rules nor decoders.', hint: 'Send rules_xml, decoders_xml or both.' },
  assistant_disabled: { message: 'The assistant is disabled on this instance.', hint: 'A platform admin enables it with PUT /platform/admin/ai/config.' },
  key_outlives_caller: { message: 'The key expires later than the key of the request.', hint: 'Rotate it with a user session, or with a key that does not expire earlier.' },
  signup_disabled: { message: 'Self-signup is disabled on this instance.', hint: 'Ask for an invitation.' },
  origin_refused: {
    message: 'A request with the session cookie must come from this site.',
    hint: 'Send Origin or Referer of this host, or use a bearer token instead of the cookie.',
  },
  billing_gateway_disabled: {
    message: 'Billing is disabled, so every organization has all features, without limits.',
    hint: 'The operator of the service enables it with NATIVE_SERVICE_BILLING_GATEWAY.',
  },
  billing_unconfigured: {
    message: 'The payment gateway is not configured.',
    hint: 'The operator of the service sets NATIVE_SERVICE_STRIPE_SECRET_KEY and the prices; see server/BILLING.md.',
  },
  billing_unavailable: {
    message: 'The payment gateway did not complete the request. Nothing was charged.',
    hint: 'Try again later. The details name the failure; the log of the service has more.',
  },
  billing_subscription_required: { message: 'The organization has no subscription at the payment gateway.', hint: 'Begin one with POST …/billing/checkout.' },
  organization_canceled: {
    message: 'The subscription is canceled, and its paid period lasts until {ends_at}.',
    hint: 'Buy again after that time. Until then the plan applies as before.',
  },
  plan_not_for_sale: {
    message: 'There is no plan with this id that can be bought.',
    hint: 'GET /billing/plans/public lists the plans; those with contact_sales are sold by the operator.',
  },
  over_plan_limit: {
    message: 'The organization has more {metric} than its plan allows ({limit}). The oldest can be changed; this can only be read.',
    hint: 'An administrator of the organization can change the plan. Nothing was deleted.',
  },
  plan_quota_exceeded: { message: "The plan's limit of {metric} is reached: {limit}.", hint: 'Wait for the next period, or change the plan.' },

  route_missing: { message: 'There is nothing at this path.', hint: 'All paths begin with /api/v1; see the interface document.' },
  resource_missing: { message: 'There is no such object.', hint: 'Check the id, and that it belongs to this organization.' },
  compiled_hash_unknown: { message: 'No compiled ruleset with this hash is cached for this organization.', hint: 'Send the files again; the response has the hash.' },

  method_not_allowed: { message: 'The method {method} is not allowed here.', hint: 'See the Allow header.' },
  request_timeout: { message: 'The request took too long to arrive.', hint: 'Send it again, without pauses.' },

  bootstrap_done: { message: 'The first administrator of this instance was created already.', hint: 'Log in, or ask for an invitation.' },
  email_taken: { message: 'The e-mail address is registered already.', hint: 'Log in, or reset the password.' },
  member_exists: { message: 'The user is a member of this organization already.', hint: 'Change the role with PATCH on the member.' },
  second_factor_enabled: { message: 'The account has a second factor already.', hint: 'Remove it first, with POST /auth/me/second-factor/remove.' },
  second_factor_absent: { message: 'The account has no second factor to which this applies.', hint: 'Begin with POST /auth/me/second-factor.' },
  last_admin: { message: 'The organization must have at least one org_admin.', hint: 'Give the role org_admin to another member first.' },
  policy_locks_out: { message: 'Without the identity provider, no org_admin could log in.', hint: 'Name an active org_admin with a password in break_glass_user_ids first.' },
  break_glass_unusable: {
    message: '{user} cannot be a break-glass user: only active org_admins with a password can.',
    hint: 'Give the user the role org_admin and a password, or name another user.',
  },
  domain_exists: { message: 'The organization has claimed this domain already.', hint: 'Verify the existing claim.' },
  domain_taken: { message: 'Another organization has proven this domain.', hint: 'If the domain is yours, remove the TXT record of the other organization first.' },
  domain_record_missing: {
    message: '{domain} has no TXT record with the expected text.',
    hint: 'Set the record that details.expected shows; a change may take an hour to be visible.',
  },
  domain_listed: {
    message: 'Another identity provider lists the domain {domain}.',
    hint: 'Remove it there. If another organization lists it, prove that the domain is yours with POST /platform/organizations/{organization_id}/domains.',
  },
  identity_provider_limit: { message: 'The organization has {limit} identity providers; there can be no more.', hint: 'Delete those that are not used any more.' },
  identity_provider_required: {
    message: 'The organization requires an identity provider, and this is the last one.',
    hint: 'Set sso_required of the identity policy to false first, or create another provider.',
  },
  identity_provider_absent: { message: 'The organization has no identity provider that could be required.', hint: 'Create an identity provider first.' },
  domain_limit: { message: 'The organization has {limit} domains; there can be no more.', hint: 'Delete those that are not used any more.' },
  scim_token_limit: { message: 'The organization has {limit} tokens for provisioning; there can be no more.', hint: 'Revoke those that are not used any more.' },
  scim_user_exists: { message: 'A user with this userName or this e-mail is provisioned already.', hint: 'Find the user by a filter, and update it.' },
  scim_user_limit: { message: 'The organization has {limit} provisioned users; there can be no more.', hint: 'Delete the users who have left.' },
  scim_group_exists: { message: 'The organization has a group with this displayName.', hint: 'Update that group, or choose another name. Letter case makes no difference.' },
  scim_group_limit: { message: 'The organization has {limit} provisioned groups; there can be no more.', hint: 'Push only the groups that give roles.' },
  last_platform_admin: { message: 'The instance must have at least one platform administrator.', hint: 'Make someone else a platform administrator first.' },
  invitation_used: { message: 'The invitation has been used already.', hint: 'Log in.' },
  member_limit: { message: 'The organization has {limit} members; there can be no more.', hint: 'Remove members who have left.' },
  organization_limit: { message: 'The user belongs to {limit} organizations; there can be no more.', hint: 'Have the user removed from organizations that they have left.' },
  invitation_limit: {
    message: 'The organization has {limit} pending invitations; there can be no more.',
    hint: 'Cancel those that will not be accepted, or wait until they expire.',
  },
  api_key_limit: { message: 'The organization has {limit} API keys; there can be no more.', hint: 'Revoke those that are expired or not used any more.' },
  project_archived: { message: 'The project is archived: it can be read, and not changed.', hint: 'Take it out of the archive with POST …/unarchive.' },
  project_not_archived: { message: 'Only an archived project can be deleted.', hint: 'Archive it with POST …/archive first.' },
  project_busy: { message: 'A check or a publication of a Git binding of the project is still running.', hint: 'Repeat the request in a minute.' },
  project_limit: { message: 'The organization has {limit} projects; there can be no more.', hint: 'Ask the operator of this service.' },
  case_limit: {
    message: 'A project can have at most {limit} cases with {bytes} bytes in total.',
    hint: 'Delete redundant cases, or split the project.',
  },
  workspace_limit: { message: 'The project has {limit} open workspaces; there can be no more.', hint: 'Close those that are not in use.' },
  workspace_in_review: { message: 'The workspace has an open review.', hint: 'Decide or close the review first.' },
  workspace_closed: { message: 'The workspace is closed.', hint: 'Reopen it with status open, or create a new one.' },
  review_final: { message: 'The review is closed, or its workspace has been published or deleted: its decision is final.', hint: 'Open a new review.' },
  comment_limit: { message: 'The review has {limit} comments; there can be no more.', hint: 'Open a new review.' },
  version_limit: { message: 'The project has {limit} versions; there can be no more.', hint: 'Ask the operator of this service.' },
  version_published: { message: 'The version is published already.', hint: 'Create a new version to publish other content.' },
  version_not_restorable: { message: 'Only a version that was published before can be restored.', hint: 'Publish the version, so that it passes the quality gate.' },
  version_not_draft: { message: 'The version is not a draft any more.', hint: 'Create a new version.' },
  feedback_limit: { message: 'The organization has {limit} feedback reports; there can be no more.', hint: 'Delete resolved reports.' },
  attachment_limit: {
    message: 'The feedback reports of the organization have {limit} attachments; there can be no more.',
    hint: 'Delete resolved reports, or send this one without attachments.',
  },
  webhook_limit: { message: 'The organization has {limit} webhooks; there can be no more.', hint: 'Delete those that are not used any more.' },
  webhook_inactive: { message: 'The webhook is disabled; nothing is sent to it.', hint: 'Enable it first: PATCH with is_active true.' },
  integration_limit: { message: 'The organization has {limit} integrations; there can be no more.', hint: 'Delete those that are not used any more.' },
  credentials_unreadable: {
    message: 'The stored credentials cannot be decrypted.',
    hint: 'The secret key of the service was replaced: send the credentials again with PATCH, to the integration or the identity provider.',
  },
  pipeline_run_ended: { message: 'The run has ended.', hint: 'Start a new one.' },
  pipeline_run_orphaned: { message: 'The integration of the run was deleted.', hint: 'Cancel the run at its provider.' },
  pipeline_run_limit: { message: 'The integration has {limit} runs that have not ended; there can be no more.', hint: 'Wait until some have ended, or cancel them.' },
  binding_limit: { message: 'The organization has {limit} Git bindings; there can be no more.', hint: 'Delete those that are not used any more.' },
  binding_orphaned: { message: 'The integration of the binding was deleted.', hint: 'Name another one: PATCH with integration_id.' },
  git_conflicts: {
    message: 'The project and the branch changed the same items differently.',
    hint: 'Import the branch into a workspace and decide the conflicts in details.conflicts there; then publish a version of it and repeat the request.',
  },
  git_gate_failed: { message: 'The content does not pass the quality gate.', hint: 'See details.failed_rules; POST …/preflight shows the diagnostics and cases.' },
  git_publish_running: {
    message: 'Another publication of this binding is running.',
    hint: 'Repeat the request when the run details.run_id has ended, at details.ends_by at the latest.',
  },
  git_publish_interrupted: { message: 'The publication was interrupted, and its commit is not on the branch.', hint: 'Publish again.' },
  git_path_occupied: { message: 'A link, or a file that is not text, has the path {path} in the repository.', hint: 'Remove or rename it, or change the paths of the binding.' },
  review_branch_moved: {
    message: 'The branch {branch} of the review has commits that this service has not made.',
    hint: 'Merge or close the review, then publish again; nothing was overwritten.',
  },
  head_changed: {
    message: 'The head of the branch is not the commit that the request names.',
    hint: 'details.commit_sha is the head; repeat the import without resolutions, and decide again.',
  },
  variable_clash: {
    message: 'Files of the repository define the variable {name} with different values.',
    hint: 'details.variables names variables and files: rename one, or give both the same value.',
  },
  edit_conflict: { message: 'Someone else changed this at the same moment.', hint: 'Read it again, and repeat the change.' },
  idempotency_key_reused: { message: 'This Idempotency-Key was used for another request.', hint: 'Use a new key for a new request.' },
  idempotency_in_progress: { message: 'The first request with this Idempotency-Key is still running.', hint: 'Wait until it ends, then repeat yours.' },

  precondition_failed: { message: 'The record has changed since the version that If-Match names.', hint: 'Read it again, and send its new ETag.' },
  payload_too_large: { message: 'The body is larger than {limit} bytes.', hint: 'Send less; split a batch into parts.' },
  document_too_large: { message: 'The data is larger than one record, or one change of several records, can hold.', hint: 'Make the record smaller, or split the change.' },
  answer_too_large: { message: 'The response would have more than {limit} bytes.', hint: 'Request less at once, or a stream of lines (`Accept: application/x-ndjson`).' },
  media_type_unsupported: { message: 'The body is not of the type {expected}.', hint: 'Send Content-Type: {expected}.' },

  validation_failed: { message: 'The body does not match the schema of this request.', hint: 'See details.errors for every field.' },
  request_validation_failed: { message: 'The request does not match its schema.', hint: 'See details.errors for every field.' },
  batch_without_settings: {
    message: 'Line 1 of a batch must contain the settings, but this line 1 is an event.',
    hint: 'Send the settings (files, trace, session_id) as line 1, or {} for none, and the events from line 2 on.',
  },

  rate_limited: { message: 'Too many requests.', hint: 'Wait for the seconds in Retry-After.' },
  login_throttled: { message: 'Too many attempts to log in.', hint: 'Wait for the seconds in Retry-After, or reset the password.' },
  second_factor_throttled: { message: 'Too many wrong codes for this account.', hint: 'Wait for the seconds in Retry-After.' },
  account_throttled: {
    message: 'Too many failed logins with this e-mail address.',
    hint: 'Wait for the seconds in Retry-After, or reset the password with POST /auth/password-reset/request, which ends the wait.',
  },
  address_throttled: { message: 'Too many failed logins from this network address.', hint: 'Wait for the seconds in Retry-After.' },
  signup_throttled: { message: 'Too many registrations from this address.', hint: 'Wait for the seconds in Retry-After.' },
  sse_connection_limit_exceeded: { message: 'You have the maximum number of open event streams: {limit}.', hint: 'Close one, or wait for the seconds in Retry-After.' },

  headers_too_large: { message: 'The headers are larger than {limit} bytes.', hint: 'Send less; cookies of other services on this host count too.' },

  scim_unsupported: { message: 'The service does not support this operation of SCIM.', hint: 'GET /ServiceProviderConfig lists what it supports.' },
  internal_error: { message: 'An internal error occurred.', hint: 'Try again; include debug_id if you report the error.' },
  saml_unsupported: {
    message: 'This service does not process SAML responses.',
    hint: 'Sign in through OpenID Connect; most identity providers offer both protocols.',
  },
  dns_unavailable: { message: 'No name server answered.', hint: 'Try again later.' },
  handler_timeout: { message: 'The request took longer than {seconds} seconds and was aborted.', hint: 'Try again after the seconds in Retry-After, or request less at once.' },
  limit_reached: {
    message: 'Too many operations are running at once.',
    hint: 'See details for the resource and the holder of the limit. Try again after the seconds in Retry-After, with fewer concurrent requests.',
  },
  overloaded: { message: 'The service is busy.', hint: 'Try again after the seconds in Retry-After.' },
  database_unavailable: { message: 'The database does not respond.', hint: 'Try again after the seconds in Retry-After.' },
  shutting_down: { message: 'This instance is stopping.', hint: 'Try again; another instance will answer.' },
  storage_full: { message: 'The disk of the service is full; nothing was written.', hint: 'Tell the operator; try again later.' },
} as const satisfies Record<ErrorReason, { readonly message: string; readonly hint: string }>
