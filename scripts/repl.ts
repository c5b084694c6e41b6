import { once } from 'node:events'
import { resolve } from 'node:path'
import { start } from 'node:repl'
import { pino } from 'pino'
import { loadEntities } from '#discovery'
import { createStore, prepareDatabase } from '#store'
import { readArguments } from './support/arguments.ts'
import { createProjectApp, root, withProject } from './support/project.ts'

readArguments({
  usage: `npm run repl

Starts a REPL with the application and its database, without a port and without authorization.`,
})

await withProject(async ({ config, discovery, database }) => {
  const logger = pino({ level: 'warn' })
  const app = await createProjectApp(config, discovery, { store: createStore(database), logger })
  await prepareDatabase(database, discovery)
  const entities = (await loadEntities(discovery)).filter((entity) => typeof entity === 'function')
  const names = Object.fromEntries(entities.map((entity) => [entity.name, entity]))
  console.log(`app, orm, em, dispatch, ${Object.keys(names).join(', ')} are defined. Try:
  await em.find(${Object.keys(names)[0] ?? 'Entity'}, {}, { limit: 2 })
  await dispatch({ kind: 'FetchCollection', type: '${app.registry.types.keys().next().value ?? ''}', query: 'page[size]=2' })`)

  const prompt = start({ prompt: '> ', useGlobal: false })
  if (process.stdin.isTTY) prompt.setupHistory(resolve(root, config.dataDir, 'repl-history'), () => {})
  const { orm } = database
  Object.assign(prompt.context, { app, orm, em: orm.em.fork(), dispatch: app.dispatch, ...names })
  await once(prompt, 'exit')
  await app.close()
})
