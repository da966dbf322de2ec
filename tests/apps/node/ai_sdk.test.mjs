// Vercel's AI SDK, whose schemas (zod) refuse an answer with a field of another type: `npm test` with BASE_URL.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'

const { BASE_URL, MODEL, TASK } = process.env
const baseURL = `${BASE_URL}/v1`
const apiKey = 'none'
const openai = createOpenAI({ baseURL, apiKey })
const compatible = createOpenAICompatible({ name: 'verbatim', baseURL, apiKey, includeUsage: true })

const chats = {
  anthropic: createAnthropic({ baseURL, apiKey })(MODEL),
  'openai chat': openai.chat(MODEL),
  'openai responses': openai.responses(MODEL),
  compatible: compatible(MODEL),
}
const completions = { 'openai completion': openai.completion(MODEL), 'compatible completion': compatible.completionModel(MODEL) }
const options = { maxRetries: 0, maxOutputTokens: 2048 }

const tools = {
  Read: tool({
    description: 'Read a file.',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { file_path: { type: 'string' } },
      required: ['file_path'],
      additionalProperties: false,
    }),
    execute: ({ file_path }) => readFile(file_path, 'utf8'),
  }),
}

/** The text of a stream; an error in it is thrown. */
async function streamed(request) {
  const result = streamText({ ...options, ...request, onError: () => {} })
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
  }
  assert.ok((await result.usage).outputTokens > 0)
  return result
}

for (const [name, model] of Object.entries({ ...chats, ...completions })) {
  test(`${name}: a whole answer`, async () => {
    const result = await generateText({ ...options, model, prompt: 'Hi' })
    assert.match(result.text, /Hello!/)
    assert.equal(result.finishReason, 'stop')
    assert.ok(result.usage.inputTokens > 0 && result.usage.outputTokens > 0)
  })
  test(`${name}: a stream`, async () => {
    assert.match(await (await streamed({ model, prompt: 'Hi' })).text, /Hello!/)
  })
}

for (const [name, model] of Object.entries(chats)) {
  // The provider of Responses refers to items of earlier answers, which are stored.
  const request = { model, tools, stopWhen: stepCountIs(3), prompt: TASK }
  test(`${name}: a tool`, async () => {
    assert.match((await generateText({ ...options, ...request })).text, /marmalade/)
  })
  test(`${name}: a tool in a stream`, async () => {
    assert.match(await (await streamed(request)).text, /marmalade/)
  })
}

test('anthropic: thoughts, marks of what to cache, and edits of the conversation', async () => {
  const anthropic = {
    thinking: { type: 'enabled', budgetTokens: 1024 },
    cacheControl: { type: 'ephemeral' },
    contextManagement: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }] },
  }
  const request = { model: chats.anthropic, tools, prompt: TASK, stopWhen: stepCountIs(3) }
  const whole = await generateText({ ...options, ...request, providerOptions: { anthropic } })
  assert.match(whole.text, /marmalade/)
  assert.match(whole.steps[0].reasoningText, /as I am asked/)
  assert.deepEqual(whole.providerMetadata.anthropic.contextManagement, { appliedEdits: [] })
  const result = await streamed({ ...request, providerOptions: { anthropic } })
  assert.match(await result.text, /marmalade/)
})

test('anthropic: a tool of Anthropic\'s beside one of the user\'s', async () => {
  const provider = createAnthropic({ baseURL, apiKey })
  const request = { model: chats.anthropic, stopWhen: stepCountIs(3), prompt: TASK }
  const hosted = { ...tools, web_search: provider.tools.webSearch_20250305({ maxUses: 1 }) }
  assert.match((await generateText({ ...options, ...request, tools: hosted })).text, /marmalade/)
})

test('anthropic: a refusal has the server\'s words', async () => {
  const request = { model: createAnthropic({ baseURL, apiKey })('another'), prompt: 'Hi' }
  await assert.rejects(generateText({ ...options, ...request }), /model: another/)
})
