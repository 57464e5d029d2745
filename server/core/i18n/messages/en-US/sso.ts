/** What a validation of an identity provider finds, in English. */
export const sso = {
  client_unconfirmed: 'The token endpoint does not say whether it accepts client_id and client_secret.',
  authorization_unconfirmed: 'The authorization endpoint refused a request that no person was part of. Log in once to see whether it works.',
  scope_unsupported: 'The provider does not announce one of the scopes. It may refuse logins that request it.',
  domain_unproven:
    'The organization has not proven this domain: another organization that proves it takes it, and existing accounts with such addresses are not linked. Prove it with POST …/domains.',
  default_role_admin: 'Everyone who joins with this provider becomes an administrator of the organization.',
  email_unverified: 'Entra ID does not send email_verified. Without trust_email no user can join through this provider.',
} as const
