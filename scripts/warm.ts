import { enableCompileCache, flushCompileCache } from 'node:module'
import { readArguments } from './support/arguments.ts'
import { discoverResources, reportErrors } from './support/project.ts'
import { compileCache } from './support/root.ts'

readArguments({
  usage: `node scripts/warm.ts

Writes the compile cache that npm start reads; existing entries are kept.`,
})
enableCompileCache(compileCache)

await reportErrors(async () => {
  await Promise.all([import('#app/plugins.ts'), import('#app/servers.ts'), import('#store')])
  const { folders } = await discoverResources()
  flushCompileCache()
  console.log(`Compiled the application and ${folders.length} resources.`)
})
