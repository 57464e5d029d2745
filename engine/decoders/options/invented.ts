/** Elements that people write in decoders although Wazuh has none of that name there. Near misses of real names are found by their letters. */
import { inventedNames } from '../../diagnostics/suggest.js'

/** Names by what they mean. */
export const INVENTED_OPTIONS = inventedNames({
  parent: 'parent_decoder decoded_as if_decoder',
  program_name: 'program programname syslog_program',
  prematch: 'match pre_regex starts_with',
  regex: 'pattern regexp re expression extract',
  order: 'field fields names groups field_order',
  plugin_decoder: 'plugin json_decoder decoder_plugin',
  type: 'category log_type',
  '<regex offset="…">': 'offset',
})
