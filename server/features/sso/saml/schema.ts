/** Requests and answers of `/sso/saml`. */
import Type from 'typebox'

export const SamlServiceProviderConfig = Type.Object(
  {
    entity_id: Type.String({ examples: ['https://detection.example.com/api/v1/sso/saml/metadata'], description: 'Identifier of the service, and the address of its metadata.' }),
    acs_url: Type.String({
      examples: ['https://detection.example.com/api/v1/sso/saml/acs'],
      description: 'Where the provider would send responses: the assertion consumer service, which answers 501.',
    }),
    slo_url: Type.String({
      examples: ['https://detection.example.com/api/v1/sso/logout'],
      description: 'Where a user ends the session of this service. It takes no SAML logout requests, so the metadata has no single logout service.',
    }),
    name_id_format: Type.String({ examples: ['urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'], description: 'Format of the name of a user.' }),
  },
  { $id: 'SamlServiceProviderConfig', description: 'This service, as SAML providers are configured for it.' },
)

export const SamlMetadata = Type.String({ description: 'An `EntityDescriptor` of SAML 2.0 metadata.' })

export const SamlResponseForm = Type.String({ description: '`SAMLResponse` and `RelayState`, as a form.' })
