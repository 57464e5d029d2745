/** The entry of the Web Worker. */
import { PlaygroundEngine } from './engine.js'
import { serve } from './serve.js'

serve(self, new PlaygroundEngine())
