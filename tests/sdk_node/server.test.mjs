// Every operation of every contract, its streams and its errors, from the server itself.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clientOf, contracts, examples, load } from "./package.mjs";

const model = "verbatim-demo";
const messages = [{ role: "user", content: "What is the capital of France?" }];
const AsyncFunction = async function () {}.constructor;

// The served model is of text, and refuses what its example sends.
const speech = join(mkdtempSync(join(tmpdir(), "speech-")), "speech.wav");
writeFileSync(speech, Buffer.alloc(64));

// What stores the things that examples name, by the ids that they have there; the server's own ids are random.
const requests = join(mkdtempSync(join(tmpdir(), "requests-")), "requests.jsonl");
const body = { model, prompt: "Hello", max_tokens: 400, ignore_eos: true }; // it takes a while
const line = JSON.stringify({ custom_id: "a", method: "POST", url: "/v1/completions", body });
writeFileSync(requests, line);
const storedFile = async (client) => (await client.createFile({ file: new Blob([line]), purpose: "batch" })).id;
const stored = {
  resp_0f3c: async (client) => {
    const ids = [];
    for await (const event of client.streamCreateResponse({ model, input: "Hi", background: true })) ids.push(event.response?.id);
    return ids[0];
  },
  conv_0f3c: async (client) => {
    const item = { type: "message", id: "msg_0f3b", role: "user", content: "Hello!" };
    return (await client.createConversation({ items: [item] })).id;
  },
  "file-0f3c": storedFile,
  batch_0f3c: async (client) => {
    const input_file_id = await storedFile(client);
    return (await client.createBatch({ input_file_id, endpoint: "/v1/completions", completion_window: "24h" })).id;
  },
};
const withStored = async (code) => {
  for (const [id, store] of Object.entries(stored)) {
    if (code.includes(id)) code = code.replaceAll(id, await store(await clientOf("openai")));
  }
  return code;
};

for (const contract of contracts) {
  for (const { name, code } of examples(contract)) {
    test(`${contract}: the example of ${name} runs`, async () => {
      const seen = [];
      const text = await withStored(code);
      const own = text.replaceAll('import("node:fs")', "fs").replaceAll("speech.wav", speech).replaceAll("requests.jsonl", requests);
      const body = `${own}\nreturn typeof answer === "undefined" ? null : answer;`;
      const run = new AsyncFunction("client", "console", "fs", body);
      if (own.includes(speech)) {
        const { APIStatusError } = await load(contract);
        await assert.rejects(run(await clientOf(contract), console, fs), (error) => {
          assert.ok(error instanceof APIStatusError);
          assert.deepEqual([error.status, error.body.error.param], [400, "model"]);
          return true;
        });
        return;
      }
      const answer = await run(await clientOf(contract), { log: (event) => seen.push(event) }, fs);
      assert.equal(code.includes("const answer"), answer !== null);
      assert.equal(code.includes("console.log"), seen.length > 0);
    });
  }
}

for (const contract of contracts) {
  const { Client } = await load(contract);
  const name = ["createChatCompletion", "chatCompletions"].find((operation) => operation in Client.prototype);
  if (name === undefined) continue; // A contract without this operation, such as Anthropic's or the token API.
  test(`${contract}: a stream joins to the whole answer`, async () => {
    const client = await clientOf(contract);
    const body = { model, messages, temperature: 0, max_tokens: 30 };
    const whole = await client[name](body);
    const texts = [];
    const stream = client[`stream${name[0].toUpperCase()}${name.slice(1)}`](body);
    for await (const event of stream) texts.push(...event.choices.map((choice) => choice.delta.content ?? ""));
    assert.ok(texts.length > 2);
    assert.equal(texts.join(""), whole.choices[0].message.content);
  });
}

test("a validation error is thrown with the contract's body", async () => {
  const { APIStatusError } = await load("openai");
  const client = await clientOf("openai");
  await assert.rejects(client.createCompletion({ model, prompt: "a", temperature: 9 }), (error) => {
    assert.ok(error instanceof APIStatusError);
    assert.deepEqual([error.status, error.body.error.param], [400, "temperature"]);
    return true;
  });
  await assert.rejects(client.createCompletion({ model: "none-such", prompt: "a" }), { status: 404 });
  await assert.rejects(client.streamCreateCompletion({ model: "none-such", prompt: "a" }).next(), { status: 404 });
});

test("a path that nobody has is 404", async () => {
  const client = await clientOf("tgi", { baseUrl: `${process.env.BASE_URL}/tgi/nowhere` });
  await assert.rejects(client.getModelInfo(), { status: 404 });
});

test("a stream that is left ends the work behind it", async () => {
  const client = await clientOf("tgi");
  const running = async () => Number(/^tgi_batch_current_size (\S+)$/m.exec(await client.metrics())[1]);
  const parameters = { max_new_tokens: 900, do_sample: true, seed: 1 };
  for await (const _ of client.generateStream({ inputs: "Once", parameters })) {
    assert.equal(await running(), 1);
    break;
  }
  const deadline = Date.now() + 5000;
  while (await running()) assert.ok(Date.now() < deadline);
});

test("named events come with their types", async () => {
  const client = await clientOf("openai");
  const types = [];
  for await (const event of client.streamCreateResponse({ model, input: "Hello" })) types.push(event.type);
  assert.equal(types.at(0), "response.created");
  assert.equal(types.at(-1), "response.completed");
});
