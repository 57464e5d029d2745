/** What a login through a provider may do with members. */
import type { Scope } from '../../../core/tenancy/scope.js'
import type { MembersService } from '../../accounts/index.js'

export type LoginMembers = Pick<MembersService, 'admit' | 'applyGroups' | 'previewGroups'>

/** The groups that a login brings change no roles of users whose roles follow the groups of a directory. @param hasDirectoryGroups whether they do */
export function loginMembers(members: LoginMembers, hasDirectoryGroups: (scope: Scope, userId: string) => Promise<boolean>): LoginMembers {
  return {
    admit: (...admission) => members.admit(...admission),
    applyGroups: async (scope, userId, ...groups) => ((await hasDirectoryGroups(scope, userId)) ? undefined : members.applyGroups(scope, userId, ...groups)),
    previewGroups: async (scope, userId, current, ...groups) =>
      userId !== null && (await hasDirectoryGroups(scope, userId)) ? { role: current, projects: [] } : members.previewGroups(scope, userId, current, ...groups),
  }
}
