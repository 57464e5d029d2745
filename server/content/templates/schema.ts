/** The catalog of templates as the interface shows it. */
import Type, { type Static } from 'typebox'
import { CATEGORIES, type Category, KINDS, type Kind, PLATFORMS, type Platform } from './template.js'

/** Longer searches are no words to look for. */
const QUERY_LENGTH = 100
const XML_EXAMPLE =
  '<group name="local,syslog,sshd,">\n  <rule id="100100" level="12">\n    <if_sid>5715</if_sid>\n    <user>^root$</user>\n    <srcip negate="yes">192.0.2.0/28</srcip>\n    <description>sshd: root logged in from $(srcip)</description>\n  </rule>\n</group>\n'
const ATTACK_ID = '^T[0-9]{4}(?:\\.[0-9]{3})?$'

const category = (description: string) => Type.Enum([...CATEGORIES] as [Category, ...Category[]], { description })
const kind = (description: string) => Type.Enum([...KINDS] as [Kind, ...Kind[]], { description })
const platform = (description: string) => Type.Enum([...PLATFORMS] as [Platform, ...Platform[]], { description })

/** Without a form: one that can be no id is answered as one that isn't there, with `detail`. */
export const TemplateParams = Type.Object({ template_id: Type.String({ minLength: 1, examples: ['ssh-root-login-outside-admin-network'], description: 'The template.' }) })

export const TemplateListQuery = Type.Object({
  category: Type.Optional(category('Only templates of this category.')),
  kind: Type.Optional(kind('Only templates of this kind.')),
  platform: Type.Optional(platform('Only templates that were tested against this platform.')),
  attack_id: Type.Optional(Type.String({ pattern: ATTACK_ID, examples: ['T1110'], description: 'Only templates that find this technique of MITRE ATT&CK, or one below it.' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: QUERY_LENGTH,
      examples: ['ssh root'],
      description: 'Only templates of which id, title, description, tags or techniques hold every one of these words, without regard to case and accents.',
    }),
  ),
})
export type TemplateListQuery = Static<typeof TemplateListQuery>

export const TemplateRecord = Type.Object(
  {
    id: Type.String({ examples: ['ssh-root-login-outside-admin-network'], description: 'Identifier; it never changes.' }),
    title: Type.String({ examples: ['SSH login as root from outside the administration network'], description: 'What it is, in the language of the request.' }),
    description: Type.String({
      examples: ['Alerts when root logs in over SSH from any address but the jump hosts.'],
      description: 'What it finds, and why that matters, in the language of the request.',
    }),
    category: category('What it is about.'),
    kind: kind('What the XML holds: rules, decoders, or both.'),
    platform: Type.Array(platform('A platform.'), { description: 'Platforms that it was tested against; `any`: all sources from which the ruleset reads such events.' }),
    attack_ids: Type.Array(Type.String(), {
      examples: [['T1021.004', 'T1078.003']],
      description: 'Techniques of MITRE ATT&CK that it finds; empty for decoders and for rules that silence.',
    }),
    tags: Type.Array(Type.String(), { examples: [['ssh', 'root', 'privileged-access']], description: 'Words to find it by, the same in every language.' }),
    xml: Type.String({
      examples: [XML_EXAMPLE],
      description: 'Elements `decoder`, which belong into a file of decoders, and `group`, which belong into a file of rules. Rule ids lie in 100000-119999.',
    }),
    tips: Type.Array(Type.String(), {
      examples: [['Replace 192.0.2.0/28 with the network of your jump hosts.']],
      description: 'What to change before use, in the language of the request.',
    }),
  },
  { $id: 'TemplateRecord', description: 'Rules and decoders to begin with.' },
)
export type TemplateRecord = Static<typeof TemplateRecord>

export const TemplateCatalogResponse = Type.Object(
  {
    templates: Type.Array(TemplateRecord, { description: 'The templates, by category.' }),
    categories: Type.Array(
      Type.Object({ id: category('The category.'), count: Type.Integer({ description: 'How many templates of the answer are of it.' }) }, { description: 'A category.' }),
      {
        description: 'Categories of the templates in this answer, in their order; one without a template is left out.',
      },
    ),
    total: Type.Integer({ description: 'How many templates are in the answer.' }),
  },
  { $id: 'TemplateCatalogResponse', description: 'The catalog, or what a filter leaves of it.' },
)
export type TemplateCatalogResponse = Static<typeof TemplateCatalogResponse>

/** The error shape, and what clients of the catalog look at (CONTRACT.md#errors). */
export const TemplateMissing = Type.Object(
  {
    code: Type.Literal('not_found', { description: 'What went wrong, for programs.' }),
    message: Type.String({ description: 'The same for people, in the language of the request.' }),
    hint: Type.String({ description: 'What to do about it.' }),
    details: Type.Object({}, { additionalProperties: true, description: 'Empty.' }),
    debug_id: Type.String({ description: "Equals the answer's `X-Request-Id`; tell it when you report a problem." }),
    detail: Type.Literal('template_not_found', { description: 'That it is the template which is missing.' }),
  },
  { $id: 'TemplateMissing', description: 'There is no such template.' },
)
