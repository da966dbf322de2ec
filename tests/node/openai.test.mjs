// The `openai` npm package against a running server; BASE_URL names it.
import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";

const model = "verbatim-demo";
const messages = [{ role: "user", content: "What is the capital of France?" }];
const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: "none", maxRetries: 0 });
const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather in a place",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

test("a chat stream joins to the whole answer", async () => {
  const whole = await client.chat.completions.create({ model, messages, temperature: 0 });
  const stream = await client.chat.completions.create({
    model,
    messages,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let usage = null;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(text, whole.choices[0].message.content);
  assert.deepEqual(usage.total_tokens, whole.usage.total_tokens);
});

test("a demanded tool is called with arguments that parse", async () => {
  const question = [{ role: "user", content: "What is the weather in Oslo?" }];
  const answer = await client.chat.completions.create({
    model,
    messages: question,
    tools: [weather],
    tool_choice: "required",
    temperature: 0,
  });
  const [call] = answer.choices[0].message.tool_calls;
  assert.equal(call.function.name, "get_weather");
  assert.deepEqual(JSON.parse(call.function.arguments), { city: "Oslo" });
});

test("the stream helper collects a tool call", async () => {
  const runner = client.chat.completions.stream({
    model,
    messages: [{ role: "user", content: "What is the weather in Oslo?" }],
    tools: [weather],
    tool_choice: "required",
    temperature: 0,
  });
  const completion = await runner.finalChatCompletion();
  assert.equal(completion.choices[0].message.tool_calls[0].function.name, "get_weather");
});

test("responses answer whole and streamed alike", async () => {
  const input = messages[0].content;
  const whole = await client.responses.create({ model, input, temperature: 0 });
  const types = [];
  let text = "";
  for await (const event of await client.responses.create({ model, input, temperature: 0, stream: true })) {
    types.push(event.type);
    if (event.type === "response.output_text.delta") text += event.delta;
  }
  assert.equal(text, whole.output_text);
  assert.equal(types.at(0), "response.created");
  assert.equal(types.at(-1), "response.completed");
});

test("a loop over response items ends in an answer, parsed items sent back as they are", async () => {
  const add = {
    type: "function",
    name: "add",
    description: "Add two numbers.",
    strict: true,
    parameters: {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer" } },
      required: ["a", "b"],
      additionalProperties: false,
    },
  };
  const input = [{ role: "user", content: "What is 12 plus 30?" }];
  const first = await client.responses.parse({ model, input, tools: [add], temperature: 0 });
  const call = first.output.find((item) => item.type === "function_call");
  assert.deepEqual(call.parsed_arguments, { a: 12, b: 30 });
  input.push(...first.output, { type: "function_call_output", call_id: call.call_id, output: "42" });
  const stream = client.responses.stream({ model, input, tools: [add], temperature: 0 });
  assert.match((await stream.finalResponse()).output_text, /42/);
});

test("completions, embeddings and models answer", async () => {
  const completion = await client.completions.create({ model, prompt: "Hello", max_tokens: 4, temperature: 0 });
  assert.equal(completion.object, "text_completion");
  const embedding = await client.embeddings.create({ model, input: ["one", "two"] });
  assert.equal(embedding.data.length, 2);
  assert.equal(embedding.data[0].embedding.length, embedding.data[1].embedding.length);
  const models = await client.models.list();
  assert.ok(models.data.some((one) => one.id === model));
  assert.equal((await client.models.retrieve(model)).id, model);
});

test("errors are of the package's classes, with param and code", async () => {
  await assert.rejects(client.chat.completions.create({ model: "none-such", messages }), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    assert.equal(error.code, "model_not_found");
    return true;
  });
  await assert.rejects(client.chat.completions.create({ model, messages, temperature: 9 }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.equal(error.param, "temperature");
    assert.ok(error.requestID);
    return true;
  });
});
