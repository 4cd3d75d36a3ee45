/**
 * The Python libraries that are run, each by its script in python/: what *Connect* installs for it, and what the script needs
 * besides, in the newest versions that fit together.
 */
export const pythonLibraries = [
  { name: 'langchain-python', packages: ['langchain-core', 'langchain-openai', 'langchain-anthropic'] },
  { name: 'google-genai-python', packages: ['google-genai'] },
  { name: 'litellm', packages: [] },
  { name: 'pydantic-ai', packages: ['pydantic-ai-slim[openai,anthropic,google]'] },
  { name: 'openai-agents', packages: [] },
  {
    name: 'instructor',
    packages: ['instructor[google-genai]', 'anthropic'],
    // Its program on *Connect* takes the text from a call of this tool.
    says: 'use Response {"content":"hello in one sentence"}',
  },
  { name: 'llama-index', packages: ['llama-index-llms-google-genai'] },
  // Models of litellm need `mcp` for tools.
  { name: 'google-adk', packages: ['litellm', 'mcp'] },
  { name: 'smolagents', packages: ['smolagents[litellm]', 'mcp'] },
  { name: 'dspy', packages: [] },
  { name: 'crewai', packages: ['crewai[anthropic]'] },
  // Its client for Anthropic does not support the library's first major version.
  { name: 'autogen', packages: ['autogen-ext[anthropic]', 'anthropic<1'] },
  { name: 'agno', packages: ['anthropic', 'google-genai'] },
  { name: 'haystack', packages: ['anthropic-haystack', 'google-genai-haystack'] },
  { name: 'strands', packages: ['strands-agents[anthropic,gemini]'] },
]
