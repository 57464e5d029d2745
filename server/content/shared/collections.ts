/** All collections of project data. They are prepared before they are used. */
import type { CollectionDefinition } from '../../core/storage/contract.js'
import { CASE_STRENGTHS } from './case-strength.js'
import { CONTENTS } from './content.js'
import { GIT_BASES, GIT_REVIEW_BASES } from './git-base.js'
import { ARCHIVED_COUNTS, DELETED_PROJECTS, PROJECTS } from './project.js'
import { PROJECT_MEMBERS } from './project-roles.js'
import { REFUSALS, REVIEW_COMMENTS, REVIEWS } from './review.js'
import { CASES } from './test-case.js'
import { VERSIONS } from './version.js'
import { WORKSPACES } from './workspace.js'

export const PROJECT_COLLECTIONS: readonly CollectionDefinition[] = [
  PROJECTS,
  ARCHIVED_COUNTS,
  DELETED_PROJECTS,
  CONTENTS,
  PROJECT_MEMBERS,
  CASES,
  WORKSPACES,
  REVIEWS,
  REFUSALS,
  REVIEW_COMMENTS,
  VERSIONS,
  GIT_BASES,
  GIT_REVIEW_BASES,
  CASE_STRENGTHS,
]
