/** Requests and answers of `/sso/discovery`. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { nullable } from '../../../core/nullable.js'

export const SsoDiscoveryRequest = Type.Object(
  { email: fields.email('E-mail address of the person who logs in. Only its domain matters.') },
  { $id: 'SsoDiscoveryRequest', description: 'A person who wants to log in.' },
)

export const SsoDiscoveryResponse = Type.Object(
  {
    provider_id: nullable(Type.String({ examples: [EXAMPLE_ID] }), 'The identity provider; null: none is for the domain.'),
    name: nullable(Type.String({ examples: ['Company login'] }), 'Its name, for the button of a login page.'),
    kind: nullable(Type.Enum(['oidc', 'saml']), 'Its protocol. Providers of SAML cannot be created in this version.'),
    login_url: nullable(
      Type.String({ examples: [`https://detection.example.com/api/v1/sso/oidc/${EXAMPLE_ID}/login`] }),
      'Where the login begins: the browser goes there, or a client requests it and gets the address of the provider.',
    ),
  },
  { $id: 'SsoDiscoveryResponse', description: 'How a person logs in. All fields are null without a provider: the person logs in with a password.' },
)
export type SsoDiscoveryResponse = Static<typeof SsoDiscoveryResponse>
