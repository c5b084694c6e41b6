import { relative, resolve } from 'node:path'
import { writeSnapshot } from '#kernel'
import { discoverOrExplain, orExplain, root } from './support/project.ts'

await orExplain(async () => {
  const discovery = await discoverOrExplain()
  const file = resolve(root, '.warm/discovery.json')
  await writeSnapshot(discovery, file)
  console.log(`Wrote ${discovery.folders.length} resources to ${relative(root, file)}.`)
})
