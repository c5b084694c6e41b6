import { enableCompileCache, flushCompileCache } from 'node:module'
import { relative, resolve } from 'node:path'
import { writeSnapshot } from '#discovery'
import { readArguments } from './support/arguments.ts'
import { discoverResources, reportErrors, root } from './support/project.ts'

readArguments({
  usage: `npm run warm

Writes the compile cache and the discovery snapshot that npm start reads; existing entries are kept.`,
})
enableCompileCache(resolve(root, '.warm/compiled'))

await reportErrors(async () => {
  await Promise.all([import('#app/plugins.ts'), import('#app/servers.ts'), import('#store')])
  const discovery = await discoverResources()
  const file = resolve(root, '.warm/discovery.json')
  await writeSnapshot(discovery, file)
  flushCompileCache()
  console.log(`Wrote ${discovery.folders.length} resources to ${relative(root, file)}.`)
})
