import { enableCompileCache } from 'node:module'
import { compileCache } from './support/root.ts'
import { stopWithParent } from './support/stop-with-parent.ts'

// `npm start`: app/main.ts with the code that an earlier start has compiled. A container runs `node app/main.ts`.

enableCompileCache(compileCache)
stopWithParent()
await import('#app/main.ts')
