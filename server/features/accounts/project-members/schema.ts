/** Requests and answers about roles in projects. */
import Type, { type Static } from 'typebox'
import { fields } from '../../../core/auth/records.js'
import { listQuery } from '../../../core/http/request/list-query.js'
import { ProjectParams } from '../../../content/shared/fields.js'

export { ProjectParams }

const ID = 'b0c4a1de-0d53-4c6e-9f57-0a6f6c1d2e3f'

export const ProjectMemberParams = Type.Object({ project_id: fields.id('The project.'), member_id: fields.id('The role in the project (not the user).') })

export const ProjectMemberListQuery = listQuery({
  filters: { role: Type.Optional(fields.role('Only members with this role in the project.')), user_id: Type.Optional(fields.id('Only the role of this user.')) },
})
export type ProjectMemberListQuery = Static<typeof ProjectMemberListQuery>

export const ProjectMemberCreateRequest = Type.Object(
  {
    email: fields.email("The new user's e-mail address. No account may have it."),
    display_name: fields.name("The new user's name."),
    password: fields.newPassword("The new user's password."),
    role: fields.role('Role in the project. In the organization it is `read_only`.'),
  },
  { $id: 'ProjectMemberCreateRequest', description: 'A user to create, with a role in a project.' },
)
export type ProjectMemberCreateRequest = Static<typeof ProjectMemberCreateRequest>

export const ProjectMemberAssignRequest = Type.Object(
  { user_id: fields.id('A member of the organization.'), role: fields.role('Role in the project.') },
  { $id: 'ProjectMemberAssignRequest', description: 'A role in a project, for a member of the organization.' },
)
export type ProjectMemberAssignRequest = Static<typeof ProjectMemberAssignRequest>

export const ProjectMemberUpdateRequest = Type.Object(
  { role: Type.Optional(fields.role('The new role in the project.')) },
  { $id: 'ProjectMemberUpdateRequest', description: 'The fields to update.' },
)
export type ProjectMemberUpdateRequest = Static<typeof ProjectMemberUpdateRequest>

export const ProjectMemberRecord = Type.Object(
  {
    id: Type.String({ examples: [ID], description: 'Identifier of the role in the project.' }),
    project_id: Type.String({ examples: [ID], description: 'The project.' }),
    user_id: Type.String({ examples: [ID], description: 'The user.' }),
    email: Type.String({ examples: ['rui@example.com'], description: "The user's e-mail address." }),
    display_name: Type.String({ examples: ['Rui'], description: "The user's name." }),
    role: fields.role("The user's role in the project. It adds permissions to those of the organization role and never removes any."),
    organization_role: fields.role("The user's role in the organization."),
    created_at: fields.timestamp('When the role was assigned.'),
    updated_at: fields.timestamp('When the role was last updated.'),
  },
  { $id: 'ProjectMemberRecord', description: 'A user with a role in a project.' },
)
export type ProjectMemberRecord = Static<typeof ProjectMemberRecord>
