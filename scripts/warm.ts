import { enableCompileCache, flushCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { readArguments } from './support/arguments.ts'
import { discoverResources, reportErrors, root } from './support/project.ts'

readArguments({
  usage: `npm run warm

Writes the compile cache that npm start reads; existing entries are kept.`,
})
enableCompileCache(resolve(root, '.warm/compiled'))

await reportErrors(async () => {
  await Promise.all([import('#app/plugins.ts'), import('#app/servers.ts'), import('#store')])
  const { folders } = await discoverResources()
  flushCompileCache()
  console.log(`Compiled the application and ${folders.length} resources.`)
})
