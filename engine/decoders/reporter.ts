import type { Collector } from '../diagnostics/collector.js'
import { fromByteString } from '../source/byte-string.js'
import { DefinitionReporter } from '../xml/definition-reporter.js'
import type { DecoderDefinition } from '../event/decoder.js'

/** Reports diagnostics about one decoder. */
export class DecoderReporter extends DefinitionReporter {
  constructor(
    readonly definition: DecoderDefinition,
    collector: Collector,
  ) {
    super(definition.source, collector, definition.element)
    this.subject = { decoder: fromByteString(definition.name) }
  }
}
