/** Requests and answers about domains of an organization. */
import Type, { type Static } from 'typebox'
import { EXAMPLE_ID, fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { nullable } from '../../../core/nullable.js'
import { ONE_LINE } from '../../../core/patterns.js'
import { DOMAIN_CHARACTERS } from './name.js'

export const OrganizationParams = Type.Object({ organization_id: fields.id('The organization.') })
export const DomainParams = Type.Object({ organization_id: fields.id('The organization.'), domain_id: fields.id('The domain.') })

export const DomainListQuery = listQuery({ sort: ['created_at', 'domain'] })
export type DomainListQuery = Static<typeof DomainListQuery>

export const DomainCreateRequest = Type.Object(
  {
    domain: Type.String({
      minLength: 1,
      maxLength: DOMAIN_CHARACTERS,
      pattern: ONE_LINE,
      examples: ['example.com'],
      description: 'The part of e-mail addresses after the at sign. Subdomains are domains of their own. International names are stored in their ASCII form.',
    }),
  },
  { $id: 'DomainCreateRequest', description: 'A domain to claim.' },
)
export type DomainCreateRequest = Static<typeof DomainCreateRequest>

export const DomainRecord = Type.Object(
  {
    id: Type.String({ examples: [EXAMPLE_ID], description: 'Identifier.' }),
    organization_id: Type.String({ examples: [EXAMPLE_ID], description: 'The organization.' }),
    domain: Type.String({ examples: ['example.com'], description: 'The domain, in lower-case ASCII.' }),
    status: Type.Enum(['pending', 'verified'], { description: '`verified`: the organization has proven that it controls the domain.' }),
    txt_record: Type.Object(
      {
        name: Type.String({ examples: ['example.com'], description: 'Name of the DNS record.' }),
        value: Type.String({ examples: ['detection-content-verification=Zk3J9xQ2mW8rT5vB1nC7pL4s'], description: 'Text of the DNS record.' }),
      },
      {
        description:
          'The TXT record that proves the control of the domain, in addition to the existing ones. It has to remain: without it another organization can prove the domain.',
      },
    ),
    verified_at: nullable(Type.String({ format: 'date-time' }), 'When the domain was proven; null: it is not.'),
    created_at: fields.timestamp('When the domain was claimed.'),
    updated_at: fields.timestamp('When the record was last updated.'),
  },
  { $id: 'DomainRecord', description: 'A domain that an organization claims.' },
)
export type DomainRecord = Static<typeof DomainRecord>
