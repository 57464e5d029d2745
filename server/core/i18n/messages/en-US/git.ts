/** What a validation of a Git binding finds, in English. */
export const git = {
  path_missing: 'The branch has nothing at this path.',
  path_without_content: 'The path has no files of this kind.',
  strategy_unsupported: 'The provider does not support this publish_strategy.',
  webhook_unsupported: 'The provider sends no webhooks: use scheduled_sync_interval_minutes.',
  branch_protected: 'The branch is protected: commits to it may be refused. Consider publish_strategy review.',
  branch_bound: 'The project has another binding to this branch.',
  symlink: 'A symbolic link is not followed.',
  submodule: 'A submodule is not read.',
  path_unsafe: 'The path has segments or characters that are not accepted.',
  lfs_pointer: 'The content of the file is in Git LFS, which is not read.',
  not_utf8: 'The file is not UTF-8.',
  file_too_large: 'The file is too large.',
  kind_mixed: 'The file has rules and decoders; they belong in separate files.',
  kind_unknown: 'The file has neither rules nor decoders.',
  list_name_too_long: 'The name of the list has more than 255 characters.',
} as const
