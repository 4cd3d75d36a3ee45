/** The Python libraries that are run, each by its script in python/, with the versions that are known to work. */

/** Models of litellm need `mcp` for tools. */
const litellm = ['litellm==1.106.2', 'mcp==2.3.0']

export const pythonLibraries = [
  {
    name: 'langchain-python',
    packages: ['langchain-core==1.7.2', 'langchain-openai==1.7.3', 'langchain-anthropic==1.7.7'],
  },
  { name: 'google-genai-python', packages: ['google-genai==3.4.0'] },
  { name: 'litellm', packages: litellm },
  {
    name: 'pydantic-ai',
    packages: ['pydantic-ai-slim[openai,anthropic,google]==2.68.0', 'openai==3.54.0', 'anthropic==2.12.0'],
  },
  { name: 'openai-agents', packages: ['openai-agents==0.24.0', 'openai==3.54.0'] },
  {
    name: 'instructor',
    packages: ['instructor[google-genai]==1.17.0', 'anthropic==2.12.0', 'google-genai==3.4.0'],
    // Its program on *Connect* takes the text from a call of this tool.
    says: 'use Response {"content":"hello in one sentence"}',
  },
  {
    name: 'llama-index',
    packages: [
      'llama-index-core==0.14.25',
      'llama-index-llms-openai-like==0.8.1',
      'llama-index-llms-google-genai==0.11.3',
    ],
  },
  { name: 'google-adk', packages: ['google-adk==2.13.0', ...litellm] },
  { name: 'smolagents', packages: ['smolagents[openai,litellm]==1.26.0', ...litellm] },
  { name: 'dspy', packages: ['dspy==3.4.1', 'litellm==1.106.2'] },
  { name: 'crewai', packages: ['crewai[anthropic]==1.15.30'] },
  // Its client for Anthropic does not support the library's first major version.
  {
    name: 'autogen',
    packages: ['autogen-agentchat==0.7.5', 'autogen-ext[openai,anthropic]==0.7.5', 'anthropic==0.125.0'],
  },
  {
    name: 'agno',
    packages: ['agno==3.1.10', 'openai==3.54.0', 'anthropic==2.12.0', 'google-genai==3.4.0'],
  },
  { name: 'haystack', packages: ['haystack-ai==3.4.0'] },
  { name: 'strands', packages: ['strands-agents[openai,anthropic,gemini]==1.62.0'] },
]
