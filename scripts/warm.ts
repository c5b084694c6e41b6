import { enableCompileCache, flushCompileCache } from 'node:module'
import { relative, resolve } from 'node:path'
import { writeSnapshot } from '#discovery'
import { discoverOrExplain, orExplain, root } from './support/project.ts'

// `npm start` uses what is kept here, and adds what is missing.
enableCompileCache(resolve(root, '.warm/compiled'))

await orExplain(async () => {
  await Promise.all([import('#app/plugins.ts'), import('#app/servers.ts'), import('#store')])
  const discovery = await discoverOrExplain()
  const file = resolve(root, '.warm/discovery.json')
  await writeSnapshot(discovery, file)
  flushCompileCache()
  console.log(`Wrote ${discovery.folders.length} resources to ${relative(root, file)}.`)
})
